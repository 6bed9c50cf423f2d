/// The address of a server: `http`, `https`, `mqtt` or `mqtts`, a host, and optionally port, path and query.
///
/// It can contain placeholders such as `%LAT`, which stay unchanged. User name, path and query often contain secrets, so
/// the description has only scheme, host and port.
public struct Endpoint: Equatable, Sendable {
  /// The complete address as given.
  public let text: String

  /// Creates an address; nil for another scheme, no host, one of more than 253 bytes, a port outside 1...65535, and for
  /// white space or control characters.
  public init?(_ text: String) {
    guard let parts = Self.parts(of: text), !parts.host.isEmpty,
      parts.host.utf8.count <= SettingLimits.host, text.isOneLine,
      !text.unicodeScalars.contains(where: \.properties.isWhitespace)
    else { return nil }
    if let port = parts.port {
      guard port.utf8.allSatisfy({ (UInt8(ascii: "0")...UInt8(ascii: "9")).contains($0) }),
        let number = UInt16(port), number > 0
      else { return nil }
    }
    self.text = text
  }

  /// The length in bytes of the host of an address; 0 for a text that is none.
  static func hostLength(in text: String) -> Int { parts(of: text)?.host.utf8.count ?? 0 }

  /// The address of a destination without one, as while it is read.
  static let unset = Endpoint(unchecked: "")

  private init(unchecked text: String) { self.text = text }

  private static let schemes = ["https", "http", "mqtts", "mqtt"]

  /// The scheme: `http`, `https`, `mqtt` or `mqtts`; empty for ``unset``.
  public var scheme: String { Self.parts(of: text).map { String($0.scheme.dropLast(3)) } ?? "" }

  /// The host, without the brackets of an IPv6 address.
  public var host: String {
    guard let host = Self.parts(of: text)?.host else { return "" }
    return String(host.hasPrefix("[") && host.hasSuffix("]") ? host.dropFirst().dropLast() : host)
  }

  /// The port; nil if none is given.
  public var port: UInt16? { Self.parts(of: text)?.port.flatMap { UInt16($0) } }

  /// True if the address can contain a secret: a user name with a password, or a query.
  public var mayHaveSecret: Bool { text.contains("@") || text.contains("?") }

  /// True if this is the address as a listing shows it, without its path: it must not replace the complete one.
  var isListed: Bool { text.hasSuffix("/…") }

  /// True for an MQTT broker.
  public var isBroker: Bool { ["mqtt", "mqtts"].contains(scheme) }

  private typealias Parts = (scheme: String, host: Substring, port: Substring?, hasMore: Bool)

  private static func parts(of text: String) -> Parts? {
    let start = text.lowercased()
    guard let scheme = schemes.first(where: { start.hasPrefix($0 + "://") }).map({ $0 + "://" }) else {
      return nil
    }
    let remainder = text.dropFirst(scheme.count)
    let authority = remainder.prefix { $0 != "/" && $0 != "?" && $0 != "#" }
    let hostAndPort =
      authority.lastIndex(of: "@").map { authority[authority.index(after: $0)...] } ?? authority
    let hasMore = remainder.count > authority.count || hostAndPort.count < authority.count
    // In [2001:db8::1]:8080, only the colon after the bracket starts a port.
    let hostEnd =
      hostAndPort.lastIndex(of: "]").map { hostAndPort.index(after: $0) } ?? hostAndPort.startIndex
    guard let colon = hostAndPort[hostEnd...].firstIndex(of: ":") else {
      return (scheme, hostAndPort, nil, hasMore)
    }
    return (scheme, hostAndPort[..<colon], hostAndPort[hostAndPort.index(after: colon)...], hasMore)
  }
}

extension Endpoint: CustomStringConvertible, CustomDebugStringConvertible, CustomReflectable {
  /// The address for messages, as in `https://example.org:8443/…`.
  public var description: String {
    guard let parts = Self.parts(of: text) else { return "not set" }
    return parts.scheme + parts.host + (parts.port.map { ":\($0)" } ?? "") + (parts.hasMore ? "/…" : "")
  }
  public var debugDescription: String { description }
  /// Hides the text from `dump`.
  public var customMirror: Mirror { Mirror(self, children: []) }
}
