import Glibc

/// A numeric address of a host.
public struct NetworkAddress: Hashable, Sendable {
  /// The address in the form of inet_ntop(3), such as `192.0.2.1` or `2001:db8::1`.
  public let text: String
  /// The number of the interface of a link-local IPv6 address (`sin6_scope_id`); 0 for every other address.
  public let scope: UInt32

  public init(_ text: String, scope: UInt32 = 0) { (self.text, self.scope) = (text, scope) }

  public var isIPv6: Bool { text.utf8.contains(UInt8(ascii: ":")) }

  /// True for the text of an IPv4 or IPv6 address, without brackets (inet_pton(3)).
  public static func isLiteral(_ host: String) -> Bool {
    var bytes = in6_addr()
    return inet_pton(AF_INET, host, &bytes) == 1 || inet_pton(AF_INET6, host, &bytes) == 1
  }
}

/// The reason why a host name has no address.
public enum NameFailure: Error, Hashable, Sendable {
  /// The name service knows no such name, or no address of it.
  case notFound
  /// No name server answered in time.
  case noAnswer
  /// No network interface is up, and no name server can be asked.
  case noNetwork
  /// Any other error, in the words of gai_strerror(3) or of the kernel.
  case other(String)
}

extension NameFailure: CustomStringConvertible {
  public var description: String {
    switch self {
    case .notFound: "the name does not exist"
    case .noAnswer: "no answer from the name server"
    case .noNetwork: "no network"
    case .other(let reason): reason
    }
  }
}

/// The name service of the system (getaddrinfo(3)): DNS, `/etc/hosts`, multicast DNS, by nsswitch.conf(5).
public enum NameService {
  // <netdb.h> declares this one only with _GNU_SOURCE.
  private static let noAddress: Int32 = -5

  /// Looks up all addresses of a host, in the order of RFC 6724. May block for minutes if no name server answers; never
  /// call it on the thread of a loop.
  public static func lookUp(_ host: String) -> Result<[NetworkAddress], NameFailure> {
    var hints = addrinfo()
    hints.ai_socktype = Int32(SOCK_STREAM.rawValue)
    hints.ai_family = hasIPv6 ? AF_UNSPEC : AF_INET
    var list: UnsafeMutablePointer<addrinfo>?
    let code = getaddrinfo(host, nil, &hints, &list)
    let number = errno
    defer { if let list { freeaddrinfo(list) } }
    guard code == 0 else { return .failure(failure(code, errno: number)) }
    var addresses: [NetworkAddress] = []
    var next = list
    while let entry = next?.pointee {
      if let address = address(entry), !addresses.contains(address) { addresses.append(address) }
      next = entry.ai_next
    }
    return addresses.isEmpty ? .failure(.notFound) : .success(addresses)
  }

  private static func failure(_ code: Int32, errno number: Int32) -> NameFailure {
    switch code {
    case EAI_NONAME, noAddress: .notFound
    case EAI_AGAIN: hasNetwork ? .noAnswer : .noNetwork
    case EAI_SYSTEM: .other(String(cString: strerror(number)).lowercased())
    default: .other(String(cString: gai_strerror(code)).lowercased())
    }
  }

  private static func address(_ entry: addrinfo) -> NetworkAddress? {
    guard let raw = entry.ai_addr else { return nil }
    var text = [CChar](repeating: 0, count: Int(INET6_ADDRSTRLEN))
    switch entry.ai_family {
    case AF_INET:
      var address = UnsafeRawPointer(raw).loadUnaligned(as: sockaddr_in.self).sin_addr
      guard inet_ntop(AF_INET, &address, &text, socklen_t(text.count)) != nil else { return nil }
      return NetworkAddress(string(text))
    case AF_INET6:
      let socket = UnsafeRawPointer(raw).loadUnaligned(as: sockaddr_in6.self)
      var address = socket.sin6_addr
      guard inet_ntop(AF_INET6, &address, &text, socklen_t(text.count)) != nil else { return nil }
      return NetworkAddress(string(text), scope: socket.sin6_scope_id)
    case _: return nil
    }
  }

  private static func string(_ text: [CChar]) -> String {
    String(decoding: text.prefix { $0 != 0 }.map { UInt8(bitPattern: $0) }, as: UTF8.self)
  }

  /// True if the kernel has IPv6.
  private static var hasIPv6: Bool {
    let kind = Int32(SOCK_DGRAM.rawValue) | Int32(SOCK_CLOEXEC.rawValue)
    let descriptor = socket(AF_INET6, kind, 0)
    guard descriptor >= 0 else { return false }
    close(descriptor)
    return true
  }

  /// True if an interface besides the loopback is up and has an address.
  private static var hasNetwork: Bool {
    var list: UnsafeMutablePointer<ifaddrs>?
    guard getifaddrs(&list) == 0 else { return true }
    defer { freeifaddrs(list) }
    var next = list
    while let entry = next?.pointee {
      next = entry.ifa_next
      let family = entry.ifa_addr.map { Int32($0.pointee.sa_family) }
      if entry.ifa_flags & UInt32(IFF_UP) != 0, entry.ifa_flags & UInt32(IFF_LOOPBACK) == 0,
        family == AF_INET || family == AF_INET6
      {
        return true
      }
    }
    return false
  }
}
