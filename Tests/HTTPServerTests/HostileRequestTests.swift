import HTTPServer
import Quantities
import TestSupport
import Testing

/// Whatever a client sends, libmicrohttpd neither aborts nor stops serving others.
@Suite struct HostileRequestTests {
  private static let good = RawHTTPClient.request(
    "POST", "/a?b=c", headers: ["Cookie: a=b"], body: Array("{}".utf8))

  private static func text(_ text: String) -> [UInt8] { Array(text.utf8) }

  static let requests: [(String, [UInt8])] = [
    ("nothing", []), ("NUL bytes", [UInt8](repeating: 0, count: 5000)),
    ("255s", [UInt8](repeating: 255, count: 5000)),
    ("line ends", text(String(repeating: "\r\n", count: 5000))),
    ("TLS", [0x16, 3, 1, 2, 0, 1, 0, 1, 0xFC, 3, 3]),
    ("HTTP/2", text("PRI * HTTP/2.0\r\n\r\nSM\r\n\r\n")),
    ("MQTT", [0x10, 12, 0, 4, 0x4D, 0x51, 0x54, 0x54, 5, 2, 0, 60, 0, 0]),
    ("no version", text("GET /\r\n\r\n")), ("version 9.9", text("GET / HTTP/9.9\r\n\r\n")),
    ("version 1.", text("GET / HTTP/1.\r\n\r\n")), ("no target", text("GET\r\n\r\n")),
    ("spaces", text("   \r\n\r\n")),
    ("two spaces", text("GET  /  HTTP/1.1\r\nHost: a\r\n\r\n")),
    ("absolute target", text("GET http://a/b HTTP/1.1\r\nHost: a\r\n\r\n")),
    ("CONNECT", text("CONNECT a:1 HTTP/1.1\r\nHost: a\r\n\r\n")), ("no host", text("GET / HTTP/1.1\r\n\r\n")),
    ("method of 100,000 bytes", text(String(repeating: "A", count: 100_000) + " / HTTP/1.1\r\n\r\n")),
    ("target of 100,000 bytes", text("GET /" + String(repeating: "a", count: 100_000) + " HTTP/1.1\r\n\r\n")),
    ("header of 1 MB", text("GET / HTTP/1.1\r\nA: " + String(repeating: "a", count: 1_000_000) + "\r\n\r\n")),
    ("100,000 headers", text("GET / HTTP/1.1\r\n" + String(repeating: "A: b\r\n", count: 100_000) + "\r\n")),
    ("folded header", text("GET / HTTP/1.1\r\nHost: a\r\nA: b\r\n c\r\n\td\r\n\r\n")),
    ("header without colon", text("GET / HTTP/1.1\r\nHost a\r\n\r\n")),
    ("header without name", text("GET / HTTP/1.1\r\n: a\r\n\r\n")),
    ("header with NUL", text("GET / HTTP/1.1\r\nHost: a\0b\r\n\r\n")),
    ("negative length", text("POST / HTTP/1.1\r\nHost: a\r\nContent-Length: -1\r\n\r\n")),
    (
      "length of 30 digits",
      text("POST / HTTP/1.1\r\nHost: a\r\nContent-Length: 999999999999999999999999999999\r\n\r\n")
    ),
    ("length of 2⁶⁴ − 1", text("POST / HTTP/1.1\r\nHost: a\r\nContent-Length: 18446744073709551615\r\n\r\n")),
    ("two lengths", text("POST / HTTP/1.1\r\nHost: a\r\nContent-Length: 1\r\nContent-Length: 2\r\n\r\nab")),
    (
      "length and chunks",
      text("POST / HTTP/1.1\r\nHost: a\r\nContent-Length: 1\r\nTransfer-Encoding: chunked\r\n\r\n0\r\n\r\n")
    ),
    (
      "chunk of 2⁶⁴",
      text("POST / HTTP/1.1\r\nHost: a\r\nTransfer-Encoding: chunked\r\n\r\n10000000000000000\r\na")
    ),
    ("negative chunk", text("POST / HTTP/1.1\r\nHost: a\r\nTransfer-Encoding: chunked\r\n\r\n-1\r\na")),
    ("chunk without digits", text("POST / HTTP/1.1\r\nHost: a\r\nTransfer-Encoding: chunked\r\n\r\n;a\r\n")),
    (
      "endless chunk extension",
      text(
        "POST / HTTP/1.1\r\nHost: a\r\nTransfer-Encoding: chunked\r\n\r\n1;"
          + String(repeating: "a", count: 200_000))
    ),
    (
      "endless trailers",
      text(
        "POST / HTTP/1.1\r\nHost: a\r\nTransfer-Encoding: chunked\r\n\r\n0\r\n"
          + String(repeating: "A: b\r\n", count: 50_000))
    ),
    ("unknown coding", text("POST / HTTP/1.1\r\nHost: a\r\nTransfer-Encoding: zip\r\n\r\n")),
    (
      "gzip that is none",
      text("POST / HTTP/1.1\r\nHost: a\r\nContent-Encoding: gzip\r\nContent-Length: 4\r\n\r\nabcd")
    ),
    ("malformed escapes", text("GET /%zz%%%0?%=%&%u1234=%f HTTP/1.1\r\nHost: a\r\n\r\n")),
    (
      "50,000 arguments",
      text("GET /?" + String(repeating: "&", count: 50_000) + " HTTP/1.1\r\nHost: a\r\n\r\n")
    ),
    ("malformed cookies", text("GET / HTTP/1.1\r\nHost: a\r\nCookie: =;;=\"\\\";a=\"b;\0;=\r\n\r\n")),
    (
      "malformed credentials",
      text("GET / HTTP/1.1\r\nHost: a\r\nAuthorization: Basic ====\r\nAuthorization: Digest \"\r\n\r\n")
    ),
    ("upgrade", text("GET / HTTP/1.1\r\nHost: a\r\nConnection: Upgrade\r\nUpgrade: websocket\r\n\r\n")),
    ("1,000 requests at once", Array(repeatElement(good, count: 1000).joined())),
  ]

  private final class Bench {
    let http: HTTPBench
    let server: HTTPServer

    init() throws {
      http = try HTTPBench()
      server = try HTTPServer(loop: http.loop, listen: .tcp(address: "127.0.0.1", port: 0), limits: .init()) {
        let items = $0.query.map { "\($0.name)\($0.value ?? "")" }.joined()
        return HTTPResponse(
          status: 200, contentType: "text/plain", body: Array("\($0.path)\(items)\($0.body.count)".utf8),
          headers: [])
      }
    }

    func send(_ bytes: [UInt8]) throws {
      let client = try RawHTTPClient(loop: http.loop, port: server.port ?? 0)
      client.send(bytes)
      _ = try http.run(for: .seconds(2)) {
        client.isClosed || client.hasSentAll && !client.received.isEmpty || bytes.isEmpty
      }
      client.endSending()
      _ = try http.run(for: .milliseconds(5)) { client.isClosed }
      client.close()
    }

    func expectService() throws {
      let answer = try http.ask(server.port, "POST", "/a?b=c", body: Array("{}".utf8))
      #expect(answer.status == 200 && answer.text == "/abc2")
    }
  }

  @Test(arguments: requests.indices)
  func noRequestStopsTheServer(_ index: Int) throws {
    let bench = try Bench()
    try bench.send(Self.requests[index].1)
    try bench.expectService()
  }

  @Test(arguments: 0..<10)
  func noMutatedRequestStopsTheServer(seed: UInt64) throws {
    let bench = try Bench()
    var random = Seeded(state: seed &+ 1)
    for _ in 0..<30 {
      var bytes = Self.good
      for _ in 0..<Int.random(in: 1..<6, using: &random) {
        bytes[Int.random(in: bytes.indices, using: &random)] = UInt8.random(in: 0...255, using: &random)
      }
      let client = try RawHTTPClient(loop: bench.http.loop, port: bench.server.port ?? 0)
      client.send(bytes)
      client.endSending()
      _ = try bench.http.run(for: .milliseconds(50)) { client.isClosed }
      client.close()
    }
    try bench.expectService()
  }

  /// A generator with a seed (xorshift64).
  struct Seeded: RandomNumberGenerator {
    var state: UInt64

    mutating func next() -> UInt64 {
      state ^= state << 13
      state ^= state >> 7
      state ^= state << 17
      return state
    }
  }

  static let endlessLines = [
    ("extension", "1;" + String(repeating: "a", count: 65_536)),
    ("size", String(repeating: "0", count: 65_536)),
  ]

  /// The line does not fit into the connection's buffer of 32 KiB.
  @Test(arguments: endlessLines.indices)
  func aChunkWhoseSizeHasNoEndDoesNotKeepTheLoopBusy(index: Int) throws {
    let bench = try HTTPBench()
    let server = try HTTPServer(loop: bench.loop, listen: .tcp(address: "127.0.0.1", port: 0)) { _ in
      .json("{}")
    }
    let client = try RawHTTPClient(loop: bench.loop, port: server.port ?? 0)
    let head = "POST / HTTP/1.1\r\nHost: h\r\nTransfer-Encoding: chunked\r\n\r\n"
    client.send(head + Self.endlessLines[index].1)
    try bench.run(for: .milliseconds(300))
    var turns = 0
    bench.loop.everyTurn { _ in turns += 1 }
    try bench.run(for: .milliseconds(500))
    #expect(turns < 60, "\(Self.endlessLines[index].0): \(turns)")
    let other = try bench.ask(server.port, "GET", "/")
    #expect(other.status == 200)
  }
}
