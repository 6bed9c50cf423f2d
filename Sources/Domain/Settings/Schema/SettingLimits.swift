/// The largest texts and lists of the settings.
///
/// With them, the status of every valid configuration is far below the longest response that a command reads, and an event
/// has room for its names. They are documented in docs/configuration.md.
enum SettingLimits {
  /// A name that status and records contain, in bytes of UTF-8: of a destination, zone, network, user or module. The device
  /// name has the same limit (``Schema/longestDeviceID``).
  static let name = 128
  /// A path, in bytes: `PATH_MAX` of Linux without the NUL.
  static let path = 4095
  /// Any other text, such as an address or a token, in bytes. Common servers accept 8 KiB for a line of a header.
  static let text = 8192
  /// The host of an address, in bytes: the 255 octets of a name without its length octets (RFC 1035, section 2.3.4).
  static let host = 253
  /// The address of a proxy with user and password, in bytes. Failures of a destination name it.
  static let proxy = 1024
  /// Destinations. Each has a connection, timers and a queue of its own.
  static let destinations = 100
  /// Zones of one kind. ``JSON5Scanner/mostValues`` bounds those of a file, too.
  static let zones = 2000
  /// The members of any other list or group of texts.
  static let members = 500
}

extension SettingLimits {
  /// What is wrong with the host of an address; nil if it is not too long. The texts contain no secret.
  static func hostExcess(in address: String) -> (expected: String, got: String)? {
    let bytes = Endpoint.hostLength(in: address)
    return bytes > host ? ("a host of at most \(host) bytes", "a host of \(bytes) bytes") : nil
  }
}

extension JSONValue {
  /// The length of a text in bytes, if it exceeds `limit`.
  func excess(over limit: Int) -> Int? {
    guard case .text(let text) = self, text.utf8.count > limit else { return nil }
    return text.utf8.count
  }
}

extension Findings {
  /// Adds an error for a list of more than `limit` members; true if there is one.
  mutating func addExcess(of count: Int, over limit: Int, at path: String) -> Bool {
    guard count > limit else { return false }
    add(.value, path) { .badValue($0, expected: "at most \(limit) members", got: "\(count)") }
    return true
  }
}
