/// The address on which a server listens.
public enum ListenAddress: Hashable, Sendable, CustomStringConvertible {
  /// A numeric IPv4 or IPv6 address of this host, or `localhost` (127.0.0.1). Port 0 lets the kernel choose. `::`
  /// accepts IPv4, too.
  case tcp(address: String, port: UInt16)
  /// A Unix socket, for clients on this host (unix(7)).
  case unix(path: String)

  /// Parses `ADDRESS:PORT`, `[IPV6]:PORT`, `PORT` (on 127.0.0.1) or a path with a slash; nil for other texts. The
  /// address itself is checked when the server starts.
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

  /// True if only programs on this host can connect.
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
