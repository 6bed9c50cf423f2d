import EventLoop
import Glibc
import Quantities

/// One connection of a ``ScriptedServer``.
final class ScriptedConnection {
  var onRequest: (ScriptedServer.Request) -> Void = { _ in }
  var onClose: () -> Void = {}

  private let socket: Int32
  private let number: Int
  private let loop: EventLoop
  private var registration: EventLoop.Registration?
  private var timer: LoopTimer?
  private var received: [UInt8] = []
  private var expected: Int?
  private var isOpen = true
  private var buffer = [UInt8](repeating: 0, count: 65_536)

  init(_ socket: Int32, number: Int, loop: EventLoop) {
    self.socket = socket
    self.number = number
    self.loop = loop
  }

  deinit { close() }

  func start() {
    registration = try? loop.watch(socket, for: .readable) { [weak self] _ in self?.read() }
  }

  /// `reset` sends a reset instead of an end.
  func close(reset: Bool = false) {
    guard isOpen else { return }
    isOpen = false
    if let registration { loop.remove(registration) }
    if let timer { loop.removeTimer(timer) }
    if reset { Self.reset(socket) } else { Glibc.close(socket) }
    onClose()
  }

  /// Closes without an end: the other side reads a reset (SO_LINGER of socket(7) with a time of 0).
  static func reset(_ socket: Int32) {
    var linger = linger(l_onoff: 1, l_linger: 0)
    setsockopt(socket, SOL_SOCKET, SO_LINGER, &linger, socklen_t(MemoryLayout.size(ofValue: linger)))
    Glibc.close(socket)
  }

  func reply(_ reply: ScriptedServer.Reply) {
    switch reply {
    case .answer(let status, let headers, let body):
      let lines = ["HTTP/1.1 \(status) Scripted", "Content-Length: \(body.utf8.count)"] + headers
      write(Array((lines.joined(separator: "\r\n") + "\r\n\r\n" + body).utf8))
    case .rawThenClose(let text):
      write(Array(text.utf8))
      close()
    case .rawThenReset(let text):
      write(Array(text.utf8))
      close(reset: true)
    case .drip(let text, let milliseconds):
      drip(Array(text.utf8)[...], milliseconds)
    case .close: close()
    case .silence: break
    }
  }

  private func drip(_ bytes: ArraySlice<UInt8>, _ milliseconds: Int) {
    guard let byte = bytes.first, isOpen else { return close() }
    write([byte])
    if let timer { loop.removeTimer(timer) }
    timer = loop.addTimer("drip") { [weak self] _ in self?.drip(bytes.dropFirst(), milliseconds) }
    timer?.arm(at: loop.now + .milliseconds(milliseconds))
  }

  private func write(_ bytes: [UInt8]) {
    var sent = 0
    while sent < bytes.count {
      let count = bytes[sent...].withUnsafeBytes {
        send(socket, $0.baseAddress, $0.count, Int32(MSG_NOSIGNAL))
      }
      guard count > 0 else {
        // Only a very long answer fills the buffer of a local socket; its reader empties it on the same
        // thread.
        return
      }
      sent += count
    }
  }

  private func read() {
    while isOpen {
      let count = recv(socket, &buffer, buffer.count, 0)
      if count == 0 { return close() }
      guard count > 0 else { return }
      received.append(contentsOf: buffer[..<count])
      takeRequests()
      if count < buffer.count { return }
    }
  }

  private func takeRequests() {
    while isOpen, let head = headEnd() {
      let lines = String(decoding: received[..<head], as: UTF8.self).split(separator: "\r\n")
      var headers: [String: String] = [:]
      for line in lines.dropFirst() {
        let parts = line.split(separator: ":", maxSplits: 1)
        guard parts.count == 2 else { continue }
        headers[parts[0].lowercased()] = String(parts[1].drop { $0 == " " })
      }
      let end = head + 4 + (headers["content-length"].flatMap { Int($0) } ?? 0)
      guard received.count >= end else {
        expected = end
        return
      }
      expected = nil
      let body = Array(received[(head + 4)..<end])
      received.removeSubrange(..<end)
      onRequest(.init(line: String(lines.first ?? ""), headers: headers, body: body, connection: number))
    }
  }

  private func headEnd() -> Int? {
    if let expected, received.count < expected { return nil }
    let mark: [UInt8] = [13, 10, 13, 10]
    guard received.count >= mark.count else { return nil }
    return (0...(received.count - mark.count)).first { received[$0..<($0 + 4)].elementsEqual(mark) }
  }
}
