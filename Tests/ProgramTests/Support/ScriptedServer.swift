import Foundation
import Glibc
import Synchronization
import System

/// A server on a thread of its own that sends exactly the bytes of the test, valid or not, and records all requests.
final class ScriptedServer: Sendable {
  /// A received request.
  struct Received: Sendable {
    var head: String
    var body: [UInt8]
  }

  /// A response.
  enum Answer: Sendable {
    /// Sends these bytes and closes the connection.
    case bytes(String)
    /// The same for bytes that are not UTF-8.
    case raw([UInt8])
    /// Closes the connection without a response.
    case close

    static func json(_ body: String, status: String = "200 OK", headers: String = "") -> Answer {
      .bytes(
        "HTTP/1.1 \(status)\r\nContent-Type: application/json\r\n\(headers)Content-Length: \(body.utf8.count)\r\n"
          + "Connection: close\r\n\r\n\(body)")
    }

    /// The same with a body that is not UTF-8.
    static func json(raw body: [UInt8]) -> Answer {
      let head =
        "HTTP/1.1 200 OK\r\nContent-Type: application/json\r\nContent-Length: \(body.count)\r\nConnection: close\r\n\r\n"
      return .raw(Array(head.utf8) + body)
    }

    static let ok = Answer.json(#"{"result":"ok"}"#)
  }

  private struct State {
    var received: [Received] = []
    var isStopped = false
  }

  let port: UInt16
  private let listener: Int32
  private let state = Mutex(State())

  /// Listens on the loopback interface; `answer` receives the number of earlier requests.
  init(answer: @escaping @Sendable (Int, Received) -> Answer) throws {
    listener = try check("socket", socket(AF_INET, Int32(SOCK_STREAM.rawValue), 0))
    var address = sockaddr_in()
    address.sin_family = sa_family_t(AF_INET)
    address.sin_addr.s_addr = UInt32(0x7F00_0001).bigEndian
    var length = socklen_t(MemoryLayout<sockaddr_in>.size)
    let listener = listener
    let (bound, named) = withUnsafeMutablePointer(to: &address) {
      $0.withMemoryRebound(to: sockaddr.self, capacity: 1) {
        (bind(listener, $0, length), getsockname(listener, $0, &length))
      }
    }
    try check("bind", bound)
    try check("getsockname", named)
    try check("listen", listen(listener, 16))
    port = UInt16(bigEndian: address.sin_port)
    Thread { [self] in serve(answer) }.start()
  }

  /// Listens on a Unix socket.
  init(socket path: String, answer: @escaping @Sendable (Int, Received) -> Answer) throws {
    listener = try check("socket", socket(AF_UNIX, Int32(SOCK_STREAM.rawValue), 0))
    var address = sockaddr_un()
    address.sun_family = sa_family_t(AF_UNIX)
    let name = Array(path.utf8)
    withUnsafeMutableBytes(of: &address.sun_path) { $0.copyBytes(from: name.prefix($0.count - 1)) }
    let listener = listener
    let bound = withUnsafePointer(to: address) { pointer in
      pointer.withMemoryRebound(to: sockaddr.self, capacity: 1) {
        bind(listener, $0, socklen_t(MemoryLayout<sockaddr_un>.size))
      }
    }
    try check("bind", bound)
    try check("listen", listen(listener, 16))
    port = 0
    Thread { [self] in serve(answer) }.start()
  }

  deinit { close(listener) }

  func stop() {
    state.withLock { $0.isStopped = true }
    shutdown(listener, Int32(SHUT_RDWR))
  }

  var received: [Received] { state.withLock { $0.received } }

  var url: String { "http://127.0.0.1:\(port)/api/input" }

  private func serve(_ answer: (Int, Received) -> Answer) {
    while true {
      let client = accept(listener, nil, nil)
      guard client >= 0, state.withLock({ !$0.isStopped }) else { return }
      if let request = readRequest(client) {
        let number = state.withLock { state in
          state.received.append(request)
          return state.received.count - 1
        }
        let bytes: [UInt8] =
          switch answer(number, request) {
          case .bytes(let text): Array(text.utf8)
          case .raw(let bytes): bytes
          case .close: []
          }
        var sent = 0
        while sent < bytes.count {
          let count = bytes[sent...].withUnsafeBytes {
            send(client, $0.baseAddress, $0.count, Int32(MSG_NOSIGNAL))
          }
          guard count > 0 else { break }
          sent += count
        }
      }
      shutdown(client, Int32(SHUT_WR))
      close(client)
    }
  }

  private func readRequest(_ client: Int32) -> Received? {
    var bytes: [UInt8] = []
    var chunk = [UInt8](repeating: 0, count: 65_536)
    var wanted: Int?
    var head = ""
    while wanted.map({ bytes.count < $0 }) ?? true {
      let count = recv(client, &chunk, chunk.count, 0)
      guard count > 0 else { return nil }
      bytes += chunk[..<count]
      if wanted == nil, let end = bytes.firstRange(of: Array("\r\n\r\n".utf8)) {
        head = String(decoding: bytes[..<end.lowerBound], as: UTF8.self)
        let length = head.split(separator: "\r\n").lazy
          .filter { $0.lowercased().hasPrefix("content-length:") }
          .compactMap { Int($0.drop { $0 != ":" }.dropFirst().trimmingCharacters(in: .whitespaces)) }
          .first
        bytes.removeSubrange(..<end.upperBound)
        wanted = length ?? 0
      }
    }
    return Received(head: head, body: bytes)
  }
}
