import CMicroHTTPD
import Glibc

/// The options of a client's socket.
enum ClientSocket {
  /// The time after which a client that does not respond is disconnected.
  private static let patience: Int32 = 60
  /// The size of the send buffer in bytes; the kernel doubles it (socket(7)).
  private static let sendBuffer: Int32 = 16_384

  /// Prepares a socket for a response without an end: the kernel then notices a client that disappeared, and buffers little
  /// for one that does not read.
  static func prepareForStream(_ socket: Int32) {
    set(socket, SOL_SOCKET, SO_SNDBUF, sendBuffer)
    // Without effect on a Unix socket, whose end the kernel reports.
    set(socket, SOL_SOCKET, SO_KEEPALIVE, 1)
    let level = Int32(IPPROTO_TCP)
    set(socket, level, TCP_KEEPIDLE, patience)
    set(socket, level, TCP_KEEPINTVL, patience / 4)
    set(socket, level, TCP_KEEPCNT, 4)
    set(socket, level, TCP_USER_TIMEOUT, patience * 1000)
  }

  /// True if the other end is closed, or the socket has an error.
  static func isClosed(_ socket: Int32) -> Bool { peek(socket).map { $0 == 0 } ?? true }

  /// True if bytes of the client wait to be read.
  static func hasInput(_ socket: Int32) -> Bool { peek(socket).map { $0 > 0 } ?? false }

  /// The number of bytes that the kernel holds for the peer; nil after an error.
  static func heldBytes(_ socket: Int32) -> Int? {
    let bytes = outrider_held_bytes(socket)
    return bytes < 0 ? nil : Int(bytes)
  }

  /// The numeric address of the peer, an IPv4 address without the prefix that it has on a socket for both (RFC 4291 section
  /// 2.5.5.2); nil on a Unix socket.
  static func peerAddress(_ socket: Int32) -> String? {
    var storage = sockaddr_storage()
    var length = socklen_t(MemoryLayout<sockaddr_storage>.size)
    var name = [CChar](repeating: 0, count: Int(NI_MAXHOST))
    let isNamed = withUnsafeMutablePointer(to: &storage) { pointer in
      pointer.withMemoryRebound(to: sockaddr.self, capacity: 1) { address in
        getpeername(socket, address, &length) == 0
          && (address.pointee.sa_family == sa_family_t(AF_INET)
            || address.pointee.sa_family == sa_family_t(AF_INET6))
          && getnameinfo(address, length, &name, socklen_t(name.count), nil, 0, NI_NUMERICHOST) == 0
      }
    }
    guard isNamed else { return nil }
    let text = String(decoding: name.prefix { $0 != 0 }.map(UInt8.init(bitPattern:)), as: UTF8.self)
    return text.hasPrefix("::ffff:") && text.contains(".") ? String(text.dropFirst(7)) : text
  }

  /// True if the peer is a program on this host.
  static func isLocal(_ socket: Int32) -> Bool {
    var storage = sockaddr_storage()
    var length = socklen_t(MemoryLayout<sockaddr_storage>.size)
    return withUnsafeMutablePointer(to: &storage) { pointer in
      let named = pointer.withMemoryRebound(to: sockaddr.self, capacity: 1) {
        getpeername(socket, $0, &length)
      }
      guard named == 0 else { return false }
      switch Int32(pointer.pointee.ss_family) {
      case AF_UNIX: return true
      case AF_INET:
        return pointer.withMemoryRebound(to: sockaddr_in.self, capacity: 1) {
          UInt32(bigEndian: $0.pointee.sin_addr.s_addr) >> 24 == 127
        }
      case AF_INET6:
        return pointer.withMemoryRebound(to: sockaddr_in6.self, capacity: 1) {
          withUnsafeBytes(of: $0.pointee.sin6_addr) { bytes in
            let loopback = [UInt8](repeating: 0, count: 15) + [1]
            // An IPv4 address on a socket for both (RFC 4291 section 2.5.5.2).
            let mapped = [UInt8](repeating: 0, count: 10) + [0xFF, 0xFF, 127]
            return bytes.elementsEqual(loopback) || bytes.starts(with: mapped)
          }
        }
      default: return false
      }
    }
  }

  /// The number of bytes that can be read, at most one; -1 if there are none yet, 0 at the end, nil after an error.
  private static func peek(_ socket: Int32) -> Int? {
    var byte: UInt8 = 0
    let count = recv(socket, &byte, 1, Int32(MSG_PEEK) | Int32(MSG_DONTWAIT))
    if count >= 0 { return count }
    return errno == EAGAIN || errno == EINTR ? -1 : nil
  }

  private static func set(_ socket: Int32, _ level: Int32, _ option: Int32, _ value: Int32) {
    var value = value
    setsockopt(socket, level, option, &value, socklen_t(MemoryLayout<Int32>.size))
  }
}
