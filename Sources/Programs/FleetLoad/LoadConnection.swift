import EventLoop
import Glibc

/// A connection of a virtual device, with one request at a time.
final class LoadConnection {
  struct Answer {
    var status: Int
    var retryAfter: Int?
    var isLast: Bool
    var body: ArraySlice<UInt8>
  }

  private let loop: EventLoop
  private let socket: Int32
  private var registration: EventLoop.Registration?
  private var outgoing: ArraySlice<UInt8> = []
  private var received: [UInt8] = []
  private(set) var isOpen = true
  /// Called with every answer, and with nil when the connection has ended.
  var onAnswer: (Answer?) -> Void = { _ in }
  /// Called when a request is sent completely.
  var onSent: () -> Void = {}

  /// Connects to a port of 127.0.0.1; nil if the host has no descriptor or port for it. `source` is the last
  /// part of the client's own address, because one address has 28,000 ports.
  init?(loop: EventLoop, port: UInt16, source: Int) {
    self.loop = loop
    socket = Glibc.socket(AF_INET, Int32(SOCK_STREAM.rawValue) | Int32(SOCK_NONBLOCK.rawValue), 0)
    guard socket >= 0 else { return nil }
    var own = Self.address(0, last: UInt32(source))
    var server = Self.address(port, last: 1)
    let size = socklen_t(MemoryLayout<sockaddr_in>.size)
    let isBound = Self.with(&own) { bind(socket, $0, size) } == 0
    let result = Self.with(&server) { connect(socket, $0, size) }
    guard isBound, result == 0 || errno == EINPROGRESS else {
      Glibc.close(socket)
      return nil
    }
    registration = try? loop.watch(socket, for: .readable) { [weak self] in self?.handle($0) }
  }

  deinit { close() }

  private static func address(_ port: UInt16, last: UInt32) -> sockaddr_in {
    var address = sockaddr_in()
    address.sin_family = sa_family_t(AF_INET)
    address.sin_port = port.bigEndian
    address.sin_addr.s_addr = (127 << 24 | last).bigEndian
    return address
  }

  private static func with(
    _ address: inout sockaddr_in, _ call: (UnsafePointer<sockaddr>) -> Int32
  ) -> Int32 {
    withUnsafePointer(to: &address) { $0.withMemoryRebound(to: sockaddr.self, capacity: 1) { call($0) } }
  }

  func close() {
    guard isOpen else { return }
    isOpen = false
    if let registration { loop.remove(registration) }
    Glibc.close(socket)
  }

  func send(_ bytes: [UInt8]) {
    outgoing = bytes[...]
    flush()
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
    if outgoing.isEmpty { onSent() }
  }

  private func handle(_ readiness: EventLoop.Readiness) {
    if readiness.contains(.writable), !outgoing.isEmpty { flush() }
    guard isOpen else { return }
    let count = withUnsafeTemporaryAllocation(byteCount: 4096, alignment: 1) { buffer in
      let count = recv(socket, buffer.baseAddress, buffer.count, 0)
      if count > 0 { received += buffer[..<count] }
      return count
    }
    guard count > 0 else {
      if count < 0, errno == EAGAIN { return }
      close()
      return onAnswer(nil)
    }
    while isOpen, let answer = takeAnswer() { onAnswer(answer) }
  }

  private func takeAnswer() -> Answer? {
    guard let end = received.firstRange(of: Array("\r\n\r\n".utf8)) else { return nil }
    let lines = String(decoding: received[..<end.lowerBound], as: UTF8.self).split(separator: "\r\n")
    var (length, retryAfter, isLast) = (0, Int?.none, false)
    for line in lines.dropFirst() {
      guard let colon = line.firstIndex(of: ":") else { continue }
      let value = line[line.index(after: colon)...].drop { $0 == " " }
      switch line[..<colon].lowercased() {
      case "content-length": length = Int(value) ?? 0
      case "retry-after": retryAfter = Int(value)
      case "connection": isLast = value.lowercased() == "close"
      default: break
      }
    }
    guard received.count - end.upperBound >= length else { return nil }
    let words = lines.first?.split(separator: " ") ?? []
    let status = words.count > 1 ? Int(words[1]) ?? 0 : 0
    let body = received[end.upperBound..<end.upperBound + length]
    received.removeFirst(end.upperBound + length)
    return Answer(status: status, retryAfter: retryAfter, isLast: isLast, body: body)
  }
}
