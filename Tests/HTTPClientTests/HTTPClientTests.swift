import EventLoop
import Glibc
import HTTPClient
import Quantities
import TestSupport
import Testing

@Suite struct HTTPClientTests {
  /// One client and one server on one loop.
  final class Bench {
    let loop: EventLoop
    let server: ScriptedServer
    let client: HTTPClient

    init(_ script: [ScriptedServer.Reply]) throws {
      loop = try EventLoop()
      server = try ScriptedServer(loop, script)
      // Sun, 06 Nov 1994 08:49:37 GMT
      client = try HTTPClient(loop: loop, utc: { Timestamp(milliseconds: 784_111_777_000) })
    }

    func outcome(_ request: HTTPClientRequest) throws -> HTTPOutcome? {
      var outcome: HTTPOutcome?
      client.perform(request) { [loop] in
        outcome = $0
        loop.stop()
      }
      #expect(try loop.runUntilStopped())
      return outcome
    }

    func post(_ body: [[UInt8]] = [Array("{}".utf8)], limit: Int = 256 * 1024) throws -> HTTPOutcome? {
      var request = HTTPClientRequest(.post, url: server.url("/in"))
      request.body = body
      request.responseLimit = limit
      request.timeout = .milliseconds(300)
      return try outcome(request)
    }

    func response(_ outcome: HTTPOutcome?) throws -> HTTPResponse {
      guard case .response(let response) = outcome else {
        Issue.record("no response but \(String(describing: outcome))")
        return HTTPResponse(status: 0)
      }
      return response
    }
  }

  @Test func thePartsOfABodyAreSentAsOne() throws {
    let bench = try Bench([.answer(201, body: "fine")])
    let long = [UInt8](repeating: 0x61, count: 300_000)
    var request = HTTPClientRequest(.post, url: bench.server.url("/in?x=1"))
    request.headers = [("Content-Type", "application/json"), ("X-Empty-Is-Removed", "")]
    request.body = [Array("start".utf8), [], long, Array("end".utf8)]
    let response = try bench.response(bench.outcome(request))
    #expect(response.status == 201 && response.body == Array("fine".utf8) && !response.isCut)
    let seen = try #require(bench.server.requests.first)
    #expect(seen.line == "POST /in?x=1 HTTP/1.1")
    #expect(seen.body == Array("start".utf8) + long + Array("end".utf8))
    #expect(seen.headers["content-type"] == "application/json")
    #expect(seen.headers["expect"] == nil && seen.headers["transfer-encoding"] == nil)
  }

  @Test func anEmptyBodyIsPosted() throws {
    let bench = try Bench([.answer(204)])
    #expect(try bench.response(bench.post([])).status == 204)
    #expect(bench.server.requests.first?.headers["content-length"] == "0")
  }

  @Test func aConnectionIsReused() throws {
    let bench = try Bench([.answer(200)])
    for _ in 0..<3 { _ = try bench.post() }
    #expect(bench.server.requests.count == 3)
    #expect(bench.server.connectionCount == 1)
  }

  @Test func aConnectionIsClosedOnRequest() throws {
    let bench = try Bench([.answer(200)])
    var request = HTTPClientRequest(.get, url: bench.server.url())
    request.keepsConnection = false
    for _ in 0..<2 { _ = try bench.outcome(request) }
    #expect(bench.server.connectionCount == 2)
  }

  @Test func aClosedConnectionIsReplaced() throws {
    let bench = try Bench([.answer(200), .close, .answer(200, body: "again")])
    let body = [[UInt8](repeating: 0x62, count: 40_000)]
    _ = try bench.post(body)
    #expect(try bench.response(bench.post(body)).body == Array("again".utf8))
    #expect(bench.server.requests.last?.body == body[0])
    #expect(bench.server.connectionCount == 2)
  }

  @Test func redirectsAreReportedAndNotFollowed() throws {
    let bench = try Bench([.answer(307, headers: ["Location: /elsewhere"])])
    let response = try bench.response(bench.post())
    #expect(response.status == 307 && response.redirectURL == bench.server.url("/elsewhere"))
    #expect(bench.server.requests.count == 1)
  }

  struct Wait: Sendable, CustomTestStringConvertible {
    let header: String, wait: Duration?
    var testDescription: String { header }
  }

  static let waits = [
    Wait(header: "120", wait: .seconds(120)), Wait(header: "0", wait: .zero),
    Wait(header: "Sun, 06 Nov 1994 08:50:37 GMT", wait: .seconds(60)),
    Wait(header: "Sun, 06 Nov 1994 08:00:00 GMT", wait: .zero),
    Wait(header: "99999999999999999999", wait: .seconds(1_000_000_000)), Wait(header: "soon", wait: nil),
    Wait(header: "-5", wait: nil), Wait(header: "Sun, 06 Nov 1994 08:50 GMT", wait: nil),
    Wait(header: "Sun, 31 Feb 1994 08:50:00 GMT", wait: nil),
    Wait(header: "Sun, 06 Nov 1994 9223372036854775807:00:00 GMT", wait: nil),
  ]

  @Test(arguments: waits)
  func retryAfterIsReadAsSecondsOrDate(_ wait: Wait) throws {
    let bench = try Bench([.answer(503, headers: ["Retry-After: \(wait.header)"])])
    #expect(try bench.response(bench.post()).retryAfter == wait.wait)
  }

  @Test(arguments: [(99, true), (100, false), (101, false)])
  func aLongResponseIsTruncated(limit: Int, isCut: Bool) throws {
    let bench = try Bench([.answer(200, body: String(repeating: "x", count: 100))])
    let response = try bench.response(bench.post(limit: limit))
    #expect(response.status == 200 && response.isCut == isCut && response.body.count == min(limit, 100))
  }

  @Test func aUnixSocketIsUsed() throws {
    let path = "/tmp/outrider-client-test-\(getpid()).sock"
    unlink(path)
    defer { unlink(path) }
    let loop = try EventLoop()
    let server = try ScriptedServer(loop, path: path, [.answer(200, body: "local")])
    let client = try HTTPClient(loop: loop)
    var request = HTTPClientRequest(.get, url: "http://outrider/status")
    request.socketPath = path
    var outcome: HTTPOutcome?
    client.perform(request) {
      outcome = $0
      loop.stop()
    }
    #expect(try loop.runUntilStopped())
    guard case .response(let response) = outcome else { throw CancellationError() }
    #expect(response.body == Array("local".utf8))
    #expect(server.requests.first?.headers["host"] == "outrider")
  }

  @Test func aCancelledRequestDoesNotComplete() throws {
    let bench = try Bench([.answer(200)])
    let cancelled = bench.client.perform(HTTPClientRequest(.get, url: bench.server.url("/cancelled"))) { _ in
      Issue.record("a cancelled request was completed")
    }
    bench.client.cancel(cancelled)
    let refused = bench.client.perform(HTTPClientRequest(.get, url: "http://a\nb/")) { _ in
      Issue.record("a cancelled request was completed")
    }
    bench.client.cancel(refused)
    _ = try bench.outcome(HTTPClientRequest(.get, url: bench.server.url("/kept")))
    #expect(bench.server.requests.map(\.line) == ["GET /kept HTTP/1.1"])
    bench.client.cancel(cancelled)
  }

  @Test func severalRequestsRunConcurrently() throws {
    let bench = try Bench([.silence, .answer(200)])
    var slow = HTTPClientRequest(.get, url: bench.server.url("/slow"))
    slow.timeout = .milliseconds(400)
    var order: [String] = []
    bench.client.perform(slow) { [loop = bench.loop] _ in
      order.append("slow")
      loop.stop()
    }
    bench.server.onRequest = { [bench] in
      bench.server.onRequest = {}
      bench.client.perform(HTTPClientRequest(.get, url: bench.server.url("/fast"))) { _ in
        order.append("fast")
      }
    }
    #expect(try bench.loop.runUntilStopped())
    bench.server.onRequest = {}
    #expect(order == ["fast", "slow"])
  }
}
