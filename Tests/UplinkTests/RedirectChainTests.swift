import EventLoop
import HTTPClient
import Quantities
import TestSupport
import Testing
import Uplink

/// Redirects that lead through several requests and servers. The attempt ends with a named cause within its time limit, the
/// loop goes on, and the records are sent again, byte for byte.
@Suite struct RedirectChainTests {
  struct Case: Sendable, CustomTestStringConvertible {
    let name: String
    let kind: Refusal.Kind
    /// A part of the report.
    let says: String
    /// The number of requests of the attempt.
    let requests: ClosedRange<Int>
    /// The reply to a request by its number, from 1, with the URLs of both servers.
    let reply: @Sendable (_ number: Int, _ here: String, _ there: String) -> ScriptedServer.Reply
    var testDescription: String { name }
  }

  private static func move(_ status: Int, to url: String) -> ScriptedServer.Reply {
    .answer(status, headers: ["Location: \(url)"])
  }

  static let cases = [
    Case(name: "to itself", kind: .redirected, says: "more than 5 redirects", requests: 6...6) { _, here, _ in
      move(308, to: "\(here)/in")
    },
    Case(name: "to a new path each time", kind: .redirected, says: "more than 5 redirects", requests: 6...6) {
      number, here, _ in move(308, to: "\(here)/in/\(number)")
    },
    Case(name: "between two servers", kind: .redirected, says: "more than 5 redirects", requests: 6...6) {
      number, here, there in move(307, to: "\(number.isMultiple(of: 2) ? here : there)/in/\(number)")
    },
    Case(name: "a path of 8 kB", kind: .redirected, says: "more than 5 redirects", requests: 6...6) {
      _, here, _ in move(308, to: "\(here)/\(String(repeating: "x", count: 8_000))")
    },
    Case(name: "to a silent server", kind: .outcomeUnknown, says: "no ", requests: 2...2) {
      number, _, there in
      number == 1 ? move(308, to: "\(there)/in") : .silence
    },
    Case(name: "to a server that closes", kind: .outcomeUnknown, says: "", requests: 2...3) {
      number, _, there in
      number == 1 ? move(308, to: "\(there)/in") : .close
    },
    Case(name: "to a port without a server", kind: .unreachable, says: "127.0.0.1:1", requests: 1...1) {
      _, _, _ in
      move(308, to: "http://127.0.0.1:1/in")
    },
    Case(name: "slow hops", kind: .outcomeUnknown, says: "", requests: 1...4) { number, here, _ in
      let text = "HTTP/1.1 308 Slow\r\nLocation: \(here)/in/\(number)\r\nContent-Length: 0\r\n\r\n"
      return .drip(text, milliseconds: 3)
    },
    Case(name: "busy after three hops", kind: .busy, says: "503", requests: 4...4) { number, here, there in
      number < 4 ? move(307, to: "\(number.isMultiple(of: 2) ? here : there)/in/\(number)") : .answer(503)
    },
    Case(name: "a page after three hops", kind: .notConfirmed, says: "", requests: 4...4) {
      number, here, there in
      number < 4
        ? move(307, to: "\(number.isMultiple(of: 2) ? here : there)/in/\(number)")
        : .answer(200, body: "<html>")
    },
    Case(name: "another method", kind: .redirected, says: "307 or 308", requests: 2...2) { number, _, there in
      move(number == 1 ? 308 : 303, to: "\(there)/in")
    },
    Case(name: "no Location after a hop", kind: .redirected, says: "Location", requests: 2...2) {
      number, _, there in
      number == 1 ? move(308, to: "\(there)/in") : .answer(308)
    },
    Case(name: "another scheme", kind: .redirected, says: "Location", requests: 2...2) { number, _, there in
      move(308, to: number == 1 ? "\(there)/in" : "file:///etc/passwd")
    },
  ]

  @Test(arguments: cases) func aChainLosesNothingAndHasACause(_ test: Case) throws {
    let bench = try DeliveryTests.Bench([DeliveryTests.ok], records: 3)
    let other = try ScriptedServer(bench.loop, [DeliveryTests.ok])
    bench.log.retriesAtOnce = true
    let (here, there) = (bench.server.url(""), other.url(""))
    var requests = 0
    var tokens = 0
    func reply(_ request: ScriptedServer.Request) -> ScriptedServer.Reply {
      guard bench.log.reports.isEmpty else { return DeliveryTests.ok }
      requests += 1
      return test.reply(requests, here, there)
    }
    bench.server.answer = reply
    other.answer = { request in
      if request.headers["authorization"] != nil { tokens += 1 }
      return reply(request)
    }
    let delivery = bench.delivery { $0.timeout = .milliseconds(600) }
    let start = bench.loop.now
    delivery.start()
    #expect(try bench.loop.runUntilStopped())
    guard case .failing(let refusal, _)? = bench.log.reported.first else {
      Issue.record("\(bench.log.reports)")
      return
    }
    #expect(
      refusal.kind == test.kind && (test.says.isEmpty || refusal.reason.contains(test.says)), "\(refusal)")
    #expect(test.requests.contains(requests), "\(requests) requests")
    #expect(tokens == 0, "the token is for the configured server")
    #expect(bench.log.acknowledged == bench.log.records.last?.id && bench.log.setAside.isEmpty)
    let bodies = Set((bench.server.requests + other.requests).map(\.body))
    #expect(bodies.count == 1, "the same bytes at every hop and in the next attempt")
    #expect(bench.loop.now - start < .seconds(3))
    #expect(bench.loop.turnTimes.longest < .milliseconds(100), "\(bench.loop.turnTimes)")
  }
}
