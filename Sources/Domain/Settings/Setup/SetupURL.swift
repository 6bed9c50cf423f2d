/// A setup URL of Overland: `overland://setup?url=…&token=…&device_id=…&unique_id=yes`.
///
/// It sets all four settings: a missing one is cleared. Values are percent-decoded, and a plus stays a plus. The first of
/// repeated parameters applies.
public struct SetupURL: Equatable, Sendable {
  /// The reason why a URL is invalid. No case contains a token.
  public enum Fault: Error, Equatable, Sendable {
    case notOverland
    /// The host is not `setup`.
    case otherHost(String)
    /// A percent sign without two hexadecimal digits, or bytes that are not UTF-8.
    case encoding(parameter: String)
    /// The value is not an http or https URL with a host.
    case url
    /// A value that is invalid for the setting of this name.
    case value(parameter: String, expected: String)
  }

  /// The address of the server; nil clears it.
  public var url: Endpoint?
  /// The token; nil clears it.
  public var token: Secret?
  /// The name of the device; nil clears it.
  public var deviceID: String?
  public var sendsUniqueID: Bool
  /// The parameters that are missing or empty, so that their settings are cleared.
  public var missing: [String] = []

  public init(_ text: String) throws(Fault) {
    let scheme = "overland://"
    guard text.lowercased().hasPrefix(scheme) else { throw .notOverland }
    let remainder = text.dropFirst(scheme.count)
    let hostAndPath = remainder.prefix { $0 != "?" && $0 != "#" }
    let host = hostAndPath.prefix { $0 != "/" }
    guard host.lowercased() == "setup" else { throw .otherHost(String(host)) }
    let query = remainder.dropFirst(hostAndPath.count).prefix { $0 != "#" }
    let given = try Self.parameters(query.hasPrefix("?") ? query.dropFirst() : "")
    var missing: [String] = []
    func value(_ name: String) -> String? {
      let value = given[name].flatMap { $0.isEmpty ? nil : $0 }
      if value == nil { missing.append(name) }
      return value
    }
    let address = value("url")
    url = address.flatMap(Endpoint.init)
    guard address == nil || url?.isBroker == false else { throw .url }
    let secret = value("token")
    guard secret?.isOneLine ?? true else {
      throw .value(parameter: "token", expected: "one line of text")
    }
    token = secret.map(Secret.init)
    deviceID = value("device_id")
    guard deviceID.map({ $0.isOneLine && $0.utf8.count <= Schema.longestDeviceID }) ?? true else {
      throw .value(parameter: "device_id", expected: "one line of at most \(Schema.longestDeviceID) bytes")
    }
    sendsUniqueID = value("unique_id") == "yes"
    self.missing = missing
  }

  private static func parameters(_ query: Substring) throws(Fault) -> [String: String] {
    var given: [String: String] = [:]
    for part in query.split(separator: "&") {
      let name = part.prefix { $0 != "=" }
      guard let key = decoded(name), let value = decoded(part.dropFirst(name.count + 1)) else {
        // A part of a token that contains an ampersand is no name.
        let isName = ["url", "token", "device_id", "unique_id"].contains(String(name))
        throw .encoding(parameter: isName ? String(name) : "a parameter")
      }
      if given[key] == nil { given[key] = value }
    }
    return given
  }

  /// Decodes percent-encoding; nil if it is invalid.
  private static func decoded(_ text: Substring) -> String? {
    var bytes: [UInt8] = []
    var remainder = Array(text.utf8)[...]
    while let byte = remainder.popFirst() {
      guard byte == UInt8(ascii: "%") else {
        bytes.append(byte)
        continue
      }
      guard let high = remainder.popFirst().flatMap(digit), let low = remainder.popFirst().flatMap(digit)
      else {
        return nil
      }
      bytes.append(high << 4 | low)
    }
    return String(validating: bytes, as: UTF8.self)
  }

  private static func digit(_ byte: UInt8) -> UInt8? {
    switch byte {
    case UInt8(ascii: "0")...UInt8(ascii: "9"): byte - UInt8(ascii: "0")
    case UInt8(ascii: "a")...UInt8(ascii: "f"): byte - UInt8(ascii: "a") + 10
    case UInt8(ascii: "A")...UInt8(ascii: "F"): byte - UInt8(ascii: "A") + 10
    default: nil
    }
  }
}

extension SetupURL.Fault: CustomStringConvertible {
  public var description: String {
    switch self {
    case .notOverland: "expected a setup URL, as in overland://setup?url=…"
    case .otherHost(let host): "expected overland://setup, got the host \(Shown.quoted(host))"
    case .encoding(let parameter):
      "\(parameter): invalid percent-encoding; write a percent sign as %25, and use UTF-8"
    case .url: "url: expected an address https://HOST/… or http://HOST/…, percent-encoded"
    case .value(let parameter, let expected): "\(parameter): expected \(expected)"
    }
  }
}
