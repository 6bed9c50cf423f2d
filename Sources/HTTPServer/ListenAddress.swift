/// Where a server waits for clients.
public enum ListenAddress: Hashable, Sendable, CustomStringConvertible {
  /// A numeric IPv4 or IPv6 address of this machine, or `localhost` (127.0.0.1); port 0 lets the kernel choose.
  /// `::` takes IPv4 too.
  case tcp(address: String, port: UInt16)
  /// A socket file, for clients on this machine (unix(7)).
  case unix(path: String)

  /// Reads `ADDRESS:PORT`, `[IPV6]:PORT`, `PORT` alone (on 127.0.0.1) or a path with a slash; nil for anything
  /// else. Whether the address is one is seen when the server starts.
  public init?(_ text: String) {
    if text.contains("/") {
      self = .unix(path: text)
      return
    }
    guard let colon = text.lastIndex(of: ":") else {
      guard let port = UInt16(text) else { return nil }
      self = .tcp(address: "127.0.0.1", port: port)
      return
    }
    var address = text[..<colon]
    if address.hasPrefix("["), address.hasSuffix("]") {
      address = address.dropFirst().dropLast()
    } else if address.contains(":") {
      return nil
    }
    guard !address.isEmpty, let port = UInt16(text[text.index(after: colon)...]) else { return nil }
    self = .tcp(address: String(address), port: port)
  }

  /// True when only programs on this machine can connect.
  public var isLocal: Bool {
    switch self {
    case .tcp(let address, _):
      address == "localhost" || address == "::1" || address.hasPrefix("127.") && !address.contains(":")
    case .unix: true
    }
  }

  public var description: String {
    switch self {
    case .tcp(let address, let port): address.contains(":") ? "[\(address)]:\(port)" : "\(address):\(port)"
    case .unix(let path): path
    }
  }
}
