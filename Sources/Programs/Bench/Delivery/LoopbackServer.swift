import Glibc
import System

/// A minimal server for the logger: reads each request completely and acknowledges it.
enum LoopbackServer {
  private static let answer = Array(
    "HTTP/1.1 200 OK\r\nContent-Type: application/json\r\nContent-Length: 15\r\n\r\n{\"result\":\"ok\"}".utf8)

  /// A listening socket on a port that the kernel selects.
  static func listen() throws(SystemError) -> (socket: Int32, port: UInt16) {
    let socket = try check("socket", Glibc.socket(AF_INET, Int32(SOCK_STREAM.rawValue), 0))
    var address = sockaddr_in()
    address.sin_family = sa_family_t(AF_INET)
    address.sin_addr.s_addr = UInt32(0x7F00_0001).bigEndian
    var length = socklen_t(MemoryLayout<sockaddr_in>.size)
    let named = withUnsafeMutablePointer(to: &address) { pointer in
      pointer.withMemoryRebound(to: sockaddr.self, capacity: 1) {
        bind(socket, $0, length) == 0 && Glibc.listen(socket, 8) == 0 && getsockname(socket, $0, &length) == 0
      }
    }
    guard named else { throw SystemError(call: "bind", subject: "127.0.0.1", number: errno) }
    return (socket, UInt16(bigEndian: address.sin_port))
  }

  /// Serves one connection after the other until the process is ended.
  static func run(listener: Int32) throws(SystemError) {
    let buffer = UnsafeMutableRawBufferPointer.allocate(byteCount: 1 << 18, alignment: 16)
    defer { buffer.deallocate() }
    while true {
      let client = Descriptor(owning: try check("accept", accept(listener, nil, nil)))
      var request = ArrivingRequest()
      while true {
        let count = read(client.raw, buffer.baseAddress, buffer.count)
        guard count > 0 else { break }
        for _ in 0..<request.take(UnsafeRawBufferPointer(rebasing: buffer[..<count])) {
          guard write(client.raw, answer, answer.count) == answer.count else { break }
        }
      }
    }
  }
}

/// Finds the ends of requests: a head with a Content-Length, and the body of that length.
struct ArrivingRequest {
  private var head: [UInt8] = []
  private var bodyLeft = 0

  /// Processes bytes and returns the number of requests that they complete.
  mutating func take(_ bytes: UnsafeRawBufferPointer) -> Int {
    var ended = 0
    var remainder = bytes[...]
    while !remainder.isEmpty {
      if bodyLeft > 0 {
        let taken = min(bodyLeft, remainder.count)
        remainder = remainder.dropFirst(taken)
        bodyLeft -= taken
        if bodyLeft == 0 { ended += 1 }
      } else if let byte = remainder.popFirst() {
        head.append(byte)
        guard byte == UInt8(ascii: "\n"), head.suffix(4) == [13, 10, 13, 10] else { continue }
        bodyLeft = length
        head.removeAll(keepingCapacity: true)
        if bodyLeft == 0 { ended += 1 }
      }
    }
    return ended
  }

  private var length: Int {
    let lines = String(decoding: head, as: UTF8.self).lowercased().split(separator: "\r\n")
    let line = lines.first { $0.hasPrefix("content-length:") }
    return line.flatMap { Int($0.dropFirst(15).drop { $0 == " " }) } ?? 0
  }
}
