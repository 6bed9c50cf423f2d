/// The address of a gpsd: host and port.
public struct GPSDAddress: Equatable, Sendable {
  /// A name or a numeric address; an IPv6 address is without brackets.
  public let host: String
  public let port: UInt16

  /// The port that IANA assigned to gpsd.
  public static let usualPort: UInt16 = 2947

  /// Reads `HOST`, `HOST:PORT`, `[IPV6]` or `[IPV6]:PORT`. Returns nil for no host, a port outside 1...65535, an IPv6
  /// address without brackets, and for characters that no host contains.
  public init?(_ text: String) {
    let host: Substring
    let remainder: Substring
    let isBracketed = text.hasPrefix("[")
    if isBracketed {
      guard let bracket = text.firstIndex(of: "]") else { return nil }
      host = text[text.index(after: text.startIndex)..<bracket]
      remainder = text[text.index(after: bracket)...]
      guard host.contains(":") else { return nil }
    } else {
      host = text.prefix { $0 != ":" }
      remainder = text[host.endIndex...]
    }
    guard !host.isEmpty, host.utf8.count <= 253,
      host.utf8.allSatisfy({ Self.isOfHost($0, isBracketed: isBracketed) })
    else { return nil }
    self.host = String(host)
    guard let colon = remainder.first else {
      port = Self.usualPort
      return
    }
    let digits = remainder.dropFirst()
    guard colon == ":", digits.utf8.allSatisfy({ (UInt8(ascii: "0")...UInt8(ascii: "9")).contains($0) }),
      let port = UInt16(digits), port > 0
    else { return nil }
    self.port = port
  }

  /// True for letters, digits, `-`, `.` and `_`; in brackets also for the characters of an IPv6 address with a zone.
  private static func isOfHost(_ byte: UInt8, isBracketed: Bool) -> Bool {
    switch byte {
    case UInt8(ascii: "a")...UInt8(ascii: "z"), UInt8(ascii: "A")...UInt8(ascii: "Z"),
      UInt8(ascii: "0")...UInt8(ascii: "9"), UInt8(ascii: "-"), UInt8(ascii: "."), UInt8(ascii: "_"):
      true
    case UInt8(ascii: ":"), UInt8(ascii: "%"): isBracketed
    default: false
    }
  }
}

extension GPSDAddress: CustomStringConvertible {
  /// The address as text, as in `localhost:2947`; an IPv6 address is in brackets.
  public var description: String { host.contains(":") ? "[\(host)]:\(port)" : "\(host):\(port)" }
}
