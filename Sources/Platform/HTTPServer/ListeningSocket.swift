import CMicroHTTPD
import Glibc
import System

/// Opens the sockets that a server listens on.
enum ListeningSocket {
  /// The file of a Unix socket. Device and inode distinguish it from a later file at the same path.
  struct File: Equatable {
    var path: String
    var device: dev_t
    var inode: ino_t

    init?(path: String) {
      var status = stat()
      guard lstat(path, &status) == 0, status.st_mode & S_IFMT == S_IFSOCK else { return nil }
      self.path = path
      device = status.st_dev
      inode = status.st_ino
    }

    /// Removes the file unless another one has replaced it.
    func remove() {
      if File(path: path) == self { unlink(path) }
    }
  }

  private static let streamFlags =
    Int32(SOCK_STREAM.rawValue) | Int32(SOCK_CLOEXEC.rawValue) | Int32(SOCK_NONBLOCK.rawValue)
  /// The usual number of clients that the kernel lets wait (listen(2)).
  static let usualBacklog: Int32 = 32

  // MARK: TCP

  static func tcp(
    address: String, port: UInt16, backlog: Int32 = usualBacklog
  ) throws(HTTPServerError) -> Descriptor {
    let listen = ListenAddress.tcp(address: address, port: port)
    var hints = addrinfo()
    hints.ai_flags = AI_NUMERICHOST | AI_NUMERICSERV | AI_PASSIVE
    hints.ai_socktype = Int32(SOCK_STREAM.rawValue)
    var list: UnsafeMutablePointer<addrinfo>?
    let host = address == "localhost" ? "127.0.0.1" : address
    guard getaddrinfo(host, String(port), &hints, &list) == 0, let found = list?.pointee else {
      throw .notAnAddress(address)
    }
    defer { freeaddrinfo(list) }
    let descriptor = try open(family: found.ai_family, listen)
    var on: Int32 = 1
    var off: Int32 = 0
    let size = socklen_t(MemoryLayout<Int32>.size)
    setsockopt(descriptor.raw, SOL_SOCKET, SO_REUSEADDR, &on, size)
    if found.ai_family == AF_INET6 {
      setsockopt(descriptor.raw, Int32(IPPROTO_IPV6), IPV6_V6ONLY, &off, size)
    }
    try attempt("bind", listen, bind(descriptor.raw, found.ai_addr, found.ai_addrlen))
    try attempt("listen", listen, Glibc.listen(descriptor.raw, backlog))
    return descriptor
  }

  /// Returns the port that the kernel assigned to a TCP socket.
  static func port(of descriptor: Int32) -> UInt16? {
    var storage = sockaddr_storage()
    var length = socklen_t(MemoryLayout<sockaddr_storage>.size)
    return withUnsafeMutablePointer(to: &storage) { pointer in
      let named = pointer.withMemoryRebound(to: sockaddr.self, capacity: 1) {
        getsockname(descriptor, $0, &length)
      }
      guard named == 0 else { return nil }
      switch Int32(pointer.pointee.ss_family) {
      case AF_INET:
        return pointer.withMemoryRebound(to: sockaddr_in.self, capacity: 1) {
          UInt16(bigEndian: $0.pointee.sin_port)
        }
      case AF_INET6:
        return pointer.withMemoryRebound(to: sockaddr_in6.self, capacity: 1) {
          UInt16(bigEndian: $0.pointee.sin6_port)
        }
      default: return nil
      }
    }
  }

  // MARK: Unix

  static func unix(
    path: String, backlog: Int32 = usualBacklog
  ) throws(HTTPServerError) -> Descriptor {
    let listen = ListenAddress.unix(path: path)
    var address = sockaddr_un()
    address.sun_family = sa_family_t(AF_UNIX)
    let name = Array(path.utf8)
    let limit = MemoryLayout.size(ofValue: address.sun_path)
    guard name.count < limit else { throw .pathTooLong(path, limit: limit) }
    withUnsafeMutableBytes(of: &address.sun_path) { $0.copyBytes(from: name) }
    try removeStale(listen, path: path, address: address)
    let descriptor = try open(family: AF_UNIX, listen)
    try attempt("bind", listen, with(address) { bind(descriptor.raw, $0, $1) })
    // Clients can connect only after listen(2), so the mode is correct for the first client.
    try attempt("chmod", listen, chmod(path, 0o660))
    try attempt("listen", listen, Glibc.listen(descriptor.raw, backlog))
    return descriptor
  }

  private static func removeStale(
    _ listen: ListenAddress, path: String, address: sockaddr_un
  ) throws(HTTPServerError) {
    var status = stat()
    guard lstat(path, &status) == 0 else { return }
    guard status.st_mode & S_IFMT == S_IFSOCK else { throw .notASocket(path: path) }
    let probe = try open(family: AF_UNIX, listen)
    // Only ECONNREFUSED means that no process listens; a full backlog yields EAGAIN.
    guard with(address, { connect(probe.raw, $0, $1) }) != 0, errno == ECONNREFUSED else {
      throw .addressInUse(listen)
    }
    try attempt("unlink", listen, unlink(path))
  }

  private static func with(
    _ address: sockaddr_un, _ call: (UnsafePointer<sockaddr>, socklen_t) -> Int32
  ) -> Int32 {
    withUnsafePointer(to: address) { pointer in
      pointer.withMemoryRebound(to: sockaddr.self, capacity: 1) {
        call($0, socklen_t(MemoryLayout<sockaddr_un>.size))
      }
    }
  }

  // MARK: Both

  private static func open(family: Int32, _ listen: ListenAddress) throws(HTTPServerError) -> Descriptor {
    Descriptor(owning: try attempt("socket", listen, socket(family, streamFlags, 0)))
  }

  @discardableResult
  private static func attempt(
    _ call: String, _ listen: ListenAddress, _ result: Int32
  ) throws(HTTPServerError) -> Int32 {
    guard result < 0 else { return result }
    switch errno {
    case EADDRINUSE: throw .addressInUse(listen)
    case EADDRNOTAVAIL: throw .addressNotHere(listen)
    case EACCES, EPERM: throw .notPermitted(listen)
    case let number: throw .system(SystemError(call: call, subject: listen.description, number: number))
    }
  }
}
