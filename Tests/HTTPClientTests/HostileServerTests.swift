import EventLoop
import Glibc
import HTTPClient
import Quantities
import System
import TestSupport
import Testing

/// Servers that send what no server should. Each request ends with a named cause, in bounded memory, and holds the loop
/// for less than 100 ms at a time.
@Suite struct HostileServerTests {
  /// What a server sends after the request: bytes, then a block for ever or a given number of times, then the end.
  struct Case: Sendable, CustomTestStringConvertible {
    let name: String
    let head: String
    var block = ""
    var blocks = 0
    /// The expected end: a status of a response, or the case of ``TransportFailure``.
    let ends: [String]
    /// True if the connection stays open after the last byte.
    var staysOpen = false
    var testDescription: String { name }
  }

  static let ok = "HTTP/1.1 200 OK\r\n"
  static let chunked = ok + "Transfer-Encoding: chunked\r\n\r\n"
  static let filler = String(repeating: "x", count: 1000)

  static let cases = [
    Case(
      name: "endless headers", head: ok, block: "X-A: \(filler)\r\n", blocks: 100_000,
      ends: ["headersTooLong"]),
    Case(
      name: "endless short headers", head: ok, block: "a:\r\n", blocks: 4_000_000, ends: ["headersTooLong"]),
    Case(
      name: "one endless header line", head: ok + "X-A: ", block: filler, blocks: 100_000,
      ends: ["headersTooLong"]),
    Case(
      name: "endless status line", head: "HTTP/1.1 200 ", block: filler, blocks: 100_000,
      ends: ["headersTooLong"]),
    Case(
      name: "endless trailers", head: chunked + "1\r\nx\r\n0\r\n", block: "X-T: \(filler)\r\n",
      blocks: 100_000,
      ends: ["headersTooLong"]),
    Case(
      name: "one endless trailer", head: chunked + "1\r\nx\r\n0\r\nX-T: ", block: filler, blocks: 100_000,
      ends: ["headersTooLong"]),
    Case(
      name: "endless interim responses", head: "", block: "HTTP/1.1 102 Processing\r\n\r\n",
      blocks: 1_000_000,
      ends: ["headersTooLong"]),
    Case(
      name: "endless continues", head: "", block: "HTTP/1.1 100 Continue\r\n\r\n", blocks: 1_000_000,
      ends: ["headersTooLong"]),
    Case(name: "endless body", head: ok + "\r\n", block: filler, blocks: 100_000, ends: ["200"]),
    Case(
      name: "endless chunks", head: chunked, block: "3e8\r\n\(filler)\r\n", blocks: 100_000, ends: ["200"]),
    Case(
      name: "endless chunk extension", head: chunked + "1;", block: filler, blocks: 100_000,
      ends: ["timedOut", "other", "interrupted"]),
    Case(name: "chunk size of words", head: chunked + "zz\r\nx\r\n", ends: ["other", "interrupted"]),
    Case(
      name: "chunk size beyond 64 bits", head: chunked + "fffffffffffffffffffff\r\nx\r\n",
      ends: ["other", "interrupted"]),
    Case(name: "negative chunk size", head: chunked + "-1\r\nx\r\n", ends: ["other", "interrupted"]),
    Case(
      name: "negative content length", head: ok + "Content-Length: -1\r\n\r\nx",
      ends: ["other", "interrupted", "200"]),
    Case(
      name: "content length beyond 64 bits", head: ok + "Content-Length: 99999999999999999999999\r\n\r\nx",
      ends: ["other", "interrupted", "200"]),
    Case(
      name: "two content lengths", head: ok + "Content-Length: 1\r\nContent-Length: 5\r\n\r\nx",
      ends: ["other", "interrupted", "200"]),
    Case(
      name: "huge Retry-After",
      head:
        "HTTP/1.1 503 No\r\nRetry-After: \(String(repeating: "9", count: 5000))\r\nContent-Length: 0\r\n\r\n",
      ends: ["503"]),
    // The client asks for no compression and decompresses nothing.
    Case(
      name: "compressed bomb",
      head: ok + "Content-Encoding: gzip\r\nContent-Length: 20\r\n\r\n01234567890123456789",
      ends: ["200"]),
    Case(
      name: "redirect to itself", head: "HTTP/1.1 307 No\r\nLocation: /in\r\nContent-Length: 0\r\n\r\n",
      ends: ["307"]),
    Case(
      name: "HTTP/2 garbage", head: "\u{0}\u{0}\u{12}\u{4}\u{0}\u{0}\u{0}\u{0}\u{0}garbage",
      ends: ["other", "interrupted"]),
    Case(name: "TLS alert", head: "\u{15}\u{3}\u{1}\u{0}\u{2}\u{2}\u{28}", ends: ["other", "interrupted"]),
    Case(name: "nothing", head: "", ends: ["interrupted"]),
    Case(name: "half a status line", head: "HTTP/1.1 2", ends: ["interrupted", "other"]),
    Case(name: "half a body", head: ok + "Content-Length: 10\r\n\r\nx", ends: ["interrupted"]),
    Case(
      name: "a body that stops", head: ok + "Content-Length: 10\r\n\r\nx", ends: ["timedOut"], staysOpen: true
    ),
    Case(
      name: "an interim response only", head: "HTTP/1.1 100 Continue\r\n\r\n", ends: ["timedOut"],
      staysOpen: true),
    Case(name: "a status of 999", head: "HTTP/1.1 999 Odd\r\nContent-Length: 0\r\n\r\n", ends: ["999"]),
    Case(name: "zero bytes", head: String(repeating: "\u{0}", count: 2000), ends: ["other", "interrupted"]),
    Case(name: "HTTP/0.9", head: "<html>hello</html>", ends: ["other"]),
  ]

  /// A server on a thread of its own, so that it can send without end while the loop works.
  private final class Server: Sendable {
    let port: UInt16

    init(_ test: Case) throws {
      let listener = socket(AF_INET, Int32(SOCK_STREAM.rawValue), 0)
      var address = sockaddr_in()
      address.sin_family = sa_family_t(AF_INET)
      address.sin_addr.s_addr = UInt32(INADDR_LOOPBACK).bigEndian
      var size = socklen_t(MemoryLayout<sockaddr_in>.size)
      let bound = withUnsafeMutablePointer(to: &address) { pointer in
        pointer.withMemoryRebound(to: sockaddr.self, capacity: 1) { address in
          bind(listener, address, size) == 0 && getsockname(listener, address, &size) == 0
            && listen(listener, 4) == 0
        }
      }
      guard bound else { throw SystemError(call: "bind", number: errno) }
      port = UInt16(bigEndian: address.sin_port)
      try DetachedThread.start("hostile") {
        defer { close(listener) }
        let client = accept(listener, nil, nil)
        guard client >= 0 else { return }
        defer { close(client) }
        var bytes = [UInt8](repeating: 0, count: 4096)
        _ = recv(client, &bytes, bytes.count, 0)
        guard Self.send(client, Array(test.head.utf8)) else { return }
        let perCall = max(60_000 / max(test.block.utf8.count, 1), 1)
        let block = Array(String(repeating: test.block, count: min(perCall, max(test.blocks, 1))).utf8)
        var sent = 0
        while sent < test.blocks {
          guard Self.send(client, block) else { return }
          sent += perCall
        }
        // Until the client closes.
        while test.staysOpen, recv(client, &bytes, bytes.count, 0) > 0 {}
      }
    }

    private static func send(_ socket: Int32, _ bytes: [UInt8]) -> Bool {
      var rest = bytes[...]
      while !rest.isEmpty {
        let count = rest.withUnsafeBytes { Glibc.send(socket, $0.baseAddress, $0.count, Int32(MSG_NOSIGNAL)) }
        guard count > 0 else { return false }
        rest = rest.dropFirst(count)
      }
      return true
    }
  }

  @Test(arguments: cases)
  func aHostileServerIsNamedAndHoldsNeitherLoopNorMemory(_ test: Case) throws {
    let server = try Server(test)
    var request = HTTPClientRequest(.post, url: "http://127.0.0.1:\(server.port)/in")
    request.body = [Array("{}".utf8)]
    request.timeout = test.ends == ["timedOut"] ? .milliseconds(300) : .seconds(5)
    _ = try HostileExchange.perform(request, ends: test.ends)
  }
}
