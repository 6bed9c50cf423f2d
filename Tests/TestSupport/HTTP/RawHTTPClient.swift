import EventLoop
import Foundation
import Glibc

/// A client that writes given bytes to a raw socket on the loop's thread, and reads the answers.
public final class RawHTTPClient {
  public private(set) var received: [UInt8] = []
  /// The server closed or reset the connection.
  public private(set) var isClosed = false
  private let loop: EventLoop
  private var socket: Int32
  private var registration: EventLoop.Registration?
  private var outgoing: ArraySlice<UInt8> = []
  /// The kernel has taken everything that was to be sent.
  public var hasSentAll: Bool { outgoing.isEmpty }

  public convenience init(loop: EventLoop, port: UInt16) throws {
    var address = sockaddr_in()
    address.sin_family = sa_family_t(AF_INET)
    address.sin_port = port.bigEndian
    address.sin_addr.s_addr = inet_addr("127.0.0.1")
    try self.init(loop: loop, family: AF_INET, address)
  }

  public convenience init(loop: EventLoop, portOnIPv6 port: UInt16) throws {
    var address = sockaddr_in6()
    address.sin6_family = sa_family_t(AF_INET6)
    address.sin6_port = port.bigEndian
    address.sin6_addr = in6addr_loopback
    try self.init(loop: loop, family: AF_INET6, address)
  }

  public convenience init(loop: EventLoop, path: String) throws {
    var address = sockaddr_un()
    address.sun_family = sa_family_t(AF_UNIX)
    withUnsafeMutableBytes(of: &address.sun_path) { $0.copyBytes(from: path.utf8.prefix($0.count - 1)) }
    try self.init(loop: loop, family: AF_UNIX, address)
  }

  private init(loop: EventLoop, family: Int32, _ address: some Any) throws {
    self.loop = loop
    socket = Glibc.socket(family, Int32(SOCK_STREAM.rawValue) | Int32(SOCK_NONBLOCK.rawValue), 0)
    let connected = withUnsafeBytes(of: address) { bytes in
      bytes.baseAddress.map {
        connect(socket, $0.assumingMemoryBound(to: sockaddr.self), socklen_t(bytes.count))
      } ?? -1
    }
    guard connected == 0 || errno == EINPROGRESS else {
      let number = errno
      Glibc.close(socket)
      throw HTTPBenchError.cannotConnect(errno: number)
    }
    registration = try loop.watch(socket, for: .readable) { [weak self] in self?.handle($0) }
  }

  deinit { close() }

  public static func request(
    _ method: String, _ target: String, headers: [String] = [], body: [UInt8]? = nil
  ) -> [UInt8] {
    var lines = ["\(method) \(target) HTTP/1.1", "Host: localhost"] + headers
    if let body { lines.append("Content-Length: \(body.count)") }
    return Array((lines.joined(separator: "\r\n") + "\r\n\r\n").utf8) + (body ?? [])
  }

  public func send(_ bytes: [UInt8]) {
    outgoing += bytes
    flush()
  }

  public func send(_ text: String) { send(Array(text.utf8)) }

  /// Closes the connection; `reset` sends a reset instead of an end.
  public func close(reset: Bool = false) {
    guard socket >= 0 else { return }
    if reset {
      var linger = linger(l_onoff: 1, l_linger: 0)
      setsockopt(socket, SOL_SOCKET, SO_LINGER, &linger, socklen_t(MemoryLayout.size(ofValue: linger)))
    }
    if let registration { loop.remove(registration) }
    Glibc.close(socket)
    socket = -1
  }

  /// Sends an end and keeps receiving.
  public func endSending() { shutdown(socket, Int32(SHUT_WR)) }

  /// Reads nothing more from the connection until it is closed.
  public func stopReading() {
    if let registration { try? loop.change(registration, to: []) }
  }

  /// Reads at most `most` bytes now, after ``stopReading()``.
  public func receive(atMost most: Int) {
    guard socket >= 0, !isClosed else { return }
    var buffer = [UInt8](repeating: 0, count: most)
    let count = Glibc.read(socket, &buffer, most)
    if count > 0 {
      received += buffer[..<count]
    } else if count == 0 || errno != EAGAIN {
      isClosed = true
      if let registration { loop.remove(registration) }
    }
  }

  /// Reads again after ``stopReading()``.
  public func startReading() {
    if let registration { try? loop.change(registration, to: .readable) }
  }

  /// The complete answers so far, without `100 Continue`.
  public var answers: [HTTPAnswer] {
    var answers: [HTTPAnswer] = []
    var remainder = received[...]
    while let end = remainder.firstRange(of: Array("\r\n\r\n".utf8)) {
      let lines = String(decoding: remainder[..<end.lowerBound], as: UTF8.self).components(
        separatedBy: "\r\n")
      let status = Int(lines[0].split(separator: " ").dropFirst().first ?? "") ?? 0
      var headers: [String: String] = [:]
      for line in lines.dropFirst() {
        guard let colon = line.firstIndex(of: ":") else { continue }
        headers[line[..<colon].lowercased()] = line[line.index(after: colon)...].trimmingCharacters(
          in: .whitespaces)
      }
      if headers["transfer-encoding"]?.lowercased() == "chunked" {
        guard let (body, next) = Self.chunkedBody(remainder[end.upperBound...]) else { break }
        remainder = next
        answers.append(HTTPAnswer(status: status, headers: headers, body: body))
        continue
      }
      let length = Int(headers["content-length"] ?? "0") ?? 0
      guard remainder.endIndex - end.upperBound >= length else { break }
      let body = Array(remainder[end.upperBound..<end.upperBound + length])
      remainder = remainder[(end.upperBound + length)...]
      if status != 100 { answers.append(HTTPAnswer(status: status, headers: headers, body: body)) }
    }
    return answers
  }

  /// A chunked body and the bytes after it; nil while it is incomplete.
  private static func chunkedBody(_ bytes: ArraySlice<UInt8>) -> (
    body: [UInt8], remainder: ArraySlice<UInt8>
  )? {
    var body: [UInt8] = []
    var remainder = bytes
    while let line = remainder.firstRange(of: Array("\r\n".utf8)) {
      guard let size = Int(String(decoding: remainder[..<line.lowerBound], as: UTF8.self), radix: 16) else {
        return nil
      }
      remainder = remainder[line.upperBound...]
      guard remainder.count >= size + 2 else { return nil }
      body += remainder.prefix(size)
      remainder = remainder.dropFirst(size + 2)
      if size == 0 { return (body, remainder) }
    }
    return nil
  }

  private func handle(_ readiness: EventLoop.Readiness) {
    if readiness.contains(.writable) { flush() }
    var buffer = [UInt8](repeating: 0, count: 65_536)
    while !isClosed {
      let count = read(socket, &buffer, buffer.count)
      if count > 0 {
        received += buffer[..<count]
      } else if count == 0 || (errno != EAGAIN && errno != ENOTCONN) {
        isClosed = true
        if let registration { loop.remove(registration) }
      } else {
        return
      }
    }
  }

  private func flush() {
    while !outgoing.isEmpty {
      let count = outgoing.withUnsafeBytes {
        Glibc.send(socket, $0.baseAddress, $0.count, Int32(MSG_NOSIGNAL))
      }
      guard count > 0 else { break }
      outgoing = outgoing.dropFirst(count)
    }
    guard let registration else { return }
    try? loop.change(registration, to: outgoing.isEmpty ? .readable : [.readable, .writable])
  }
}
