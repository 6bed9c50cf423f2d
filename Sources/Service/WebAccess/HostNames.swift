/// The names under which the logger may be addressed (the header `Host`).
///
/// A page of another site can let its own name point to this host and then read its responses (DNS rebinding). Such a name
/// has a dot and is not one of these.
public struct HostNames: Equatable, Sendable {
  /// The name of this host, in lower case.
  private let hostName: String
  private let further: [String]

  /// - Parameters:
  ///   - hostName: the name of this host.
  ///   - further: the names of proxies and DNS entries, without port.
  public init(hostName: String = "", further: [String] = []) {
    self.hostName = hostName.lowercased()
    self.further = further.map { $0.lowercased() }
  }

  /// True for an IP address, `localhost`, a name below `.local`, a name without dot, the name of this host, and the further
  /// names, each with any port. A request without the header is not from a browser.
  public func admits(_ host: String?) -> Bool {
    guard let host else { return true }
    guard let name = Self.name(in: host.lowercased()), !name.isEmpty else { return false }
    if name.hasPrefix("[") { return Self.isIPv6(name.dropFirst().dropLast()) }
    guard name.utf8.allSatisfy(Self.isNameByte) else { return false }
    return Self.isIPv4(name) || !name.contains(".") || name.hasSuffix(".local") || name == hostName
      || further.contains(name)
  }

  /// The host without port and final dot; nil if it is malformed.
  private static func name(in host: String) -> String? {
    if host.hasPrefix("[") {
      guard let end = host.firstIndex(of: "]"), isPort(host[host.index(after: end)...]) else { return nil }
      return String(host[...end])
    }
    let colon = host.firstIndex(of: ":") ?? host.endIndex
    guard isPort(host[colon...]) else { return nil }
    let name = host[..<colon]
    return String(name.hasSuffix(".") ? name.dropLast() : name)
  }

  private static func isPort(_ text: Substring) -> Bool {
    text.isEmpty || text.first == ":" && text.dropFirst().utf8.allSatisfy { (48...57).contains($0) }
  }

  private static func isNameByte(_ byte: UInt8) -> Bool {
    switch byte {
    case UInt8(ascii: "a")...UInt8(ascii: "z"), UInt8(ascii: "0")...UInt8(ascii: "9"), UInt8(ascii: "-"),
      UInt8(ascii: "_"), UInt8(ascii: "."):
      true
    default: false
    }
  }

  private static func isIPv4(_ name: String) -> Bool {
    let parts = name.split(separator: ".", omittingEmptySubsequences: false)
    return parts.count == 4 && parts.allSatisfy { $0.count <= 3 && UInt8($0) != nil }
  }

  private static func isIPv6(_ text: Substring) -> Bool {
    text.contains(":")
      && text.utf8.allSatisfy { byte in
        byte == UInt8(ascii: ":") || byte == UInt8(ascii: ".") || byte == UInt8(ascii: "%")
          || Character(UnicodeScalar(byte)).isHexDigit
      }
  }
}
