import Foundation
import Quantities
import Synchronization
import SystemLoop
import Testing

extension FaultTests {
  /// What a server can do to a logger.
  @Suite struct Server {
    /// One way of not taking a batch, and a word of what is said about it.
    struct Refusal: Sendable, CustomTestStringConvertible {
      var name: String
      var answer: ScriptedServer.Answer
      var isSaid: String
      var testDescription: String { name }
    }

    static let login = "<html><body>Please log in</body></html>"
    static let half = "HTTP/1.1 200 OK\r\nContent-Length: 200\r\n\r\n{\"result\":\"ok\"}"
    static let moved = "Location: http://127.0.0.1:1/elsewhere\r\n"

    static let refusals = [
      Refusal(name: "500", answer: .json("{}", status: "500 Oops"), isSaid: "status 500"),
      Refusal(name: "HTML with 200", answer: .json(login), isSaid: "check the url's path and the token"),
      Refusal(name: "an empty list", answer: .json("[]"), isSaid: "check the url's path and the token"),
      Refusal(name: "nothing with 200", answer: .json(""), isSaid: "empty response"),
      Refusal(name: "OK in capitals", answer: .json(#"{"result":"OK"}"#), isSaid: "check the url's path"),
      Refusal(name: "half a body", answer: .bytes(half), isSaid: "delivery is retried"),
      Refusal(name: "a closed connection", answer: .close, isSaid: "delivery is retried"),
      Refusal(
        name: "a redirect to another method", answer: .json("", status: "301 Moved", headers: moved),
        isSaid: "check the url: only redirects"),
      Refusal(name: "no HTTP", answer: .bytes("+OK ready\r\n"), isSaid: "delivery is retried"),
      Refusal(name: "401", answer: .json("{}", status: "401 No"), isSaid: "check the token"),
    ]

    @Test("every record arrives once after the server answered wrongly", arguments: refusals)
    func wrongAnswers(refusal: Refusal) throws {
      let recording = Recording.simulated(epochs: 25)
      let server = try ScriptedServer { number, _ in number < 2 ? refusal.answer : .ok }
      defer { server.stop() }
      let bench = try LoggerBench(url: server.url, extra: "main: { batch_size: 10 },")
      try bench.start()
      FaultTests.play(recording.pieces[...], on: bench.feeder)
      let accepted = { server.times(ofRequests: 2...) }
      #expect(eventually(within: .seconds(25)) { accepted().count >= 25 }, "\(bench.standardError)")
      #expect(bench.hasEvent("delivery_recovered"))
      #expect(bench.stopsInGoodOrder())
      #expect(accepted() == recording.isoTimes)
      let attempts = server.received.prefix(3).map { locations(in: $0.body) }
      #expect(Set(attempts).count == 1, "a retry differs")
      #expect(bench.events("delivery_failing").count == 1)
      #expect(
        bench.events("delivery_recovered") == [
          "destination home: delivery resumed after 2 failed attempts"
        ])
      let said = bench.events("delivery_failing").first ?? ""
      #expect(said.contains(refusal.isSaid), "\(said)")
      #expect(said.contains("destination home: "), "\(said)")
      #expect(bench.standardError.contains(said))
      #expect(bench.times == recording.times)
    }

    @Test func aRedirectThatKeepsTheBodyIsFollowed() throws {
      let recording = Recording.simulated(epochs: 5)
      let server = try ScriptedServer { _, request in
        guard request.head.hasPrefix("POST /api/input") else { return .ok }
        return .json("", status: "307 Temporary Redirect", headers: "Location: /there\r\n")
      }
      defer { server.stop() }
      let bench = try LoggerBench(url: server.url)
      try bench.start()
      FaultTests.play(recording.pieces[...], on: bench.feeder)
      let accepted = { server.received.filter { $0.head.hasPrefix("POST /there") }.flatMap(\.times) }
      #expect(eventually(within: .seconds(20)) { accepted().count >= 5 })
      #expect(bench.stopsInGoodOrder())
      #expect(accepted() == recording.isoTimes)
      #expect(bench.events("delivery_failing").isEmpty)
    }

    @Test func aServerThatAsksForTimeGetsIt() throws {
      let recording = Recording.simulated(epochs: 5)
      let moments = Moments()
      let server = try ScriptedServer { number, _ in
        moments.note()
        return number == 0 ? .json("", status: "503 Busy", headers: "Retry-After: 3\r\n") : .ok
      }
      defer { server.stop() }
      let bench = try LoggerBench(url: server.url)
      try bench.start()
      FaultTests.play(recording.pieces[...], on: bench.feeder)
      #expect(eventually(within: .seconds(20)) { server.received.count >= 2 })
      let all = moments.all
      // Without the server's word the first pause is never longer than 2 s.
      #expect(all[1] - all[0] >= .seconds(3))
      #expect(bench.hasEvent("delivery_recovered"))
      #expect(bench.stopsInGoodOrder())
    }

    @Test func theTokenIsSentAndSaidNowhere() throws {
      let recording = Recording.simulated(epochs: 3)
      let server = try ScriptedServer { number, _ in number == 0 ? .json("", status: "401 No") : .ok }
      defer { server.stop() }
      let bench = try LoggerBench(url: server.url)
      try bench.rewrite { $0.replacingOccurrences(of: #"timeout: "5s""#, with: #"token: "sesame-4711""#) }
      try bench.start()
      FaultTests.play(recording.pieces[...], on: bench.feeder)
      #expect(eventually(within: .seconds(20)) { server.received.count >= 2 })
      #expect(server.received.allSatisfy { $0.head.contains("\r\nAuthorization: Bearer sesame-4711\r\n") })
      #expect(bench.hasEvent("delivery_failing"))
      let status = "\(try FaultTests.status(of: bench))"
      #expect(bench.stopsInGoodOrder())
      #expect(!bench.standardError.contains("sesame") && !status.contains("sesame"))
      #expect(!bench.events("delivery_failing").joined().contains("sesame"))
    }

    @Test func theNewestFixGoesWithABatchWhileMoreAreQueued() throws {
      let recording = Recording.simulated(epochs: 25)
      let isOpen = Moments()
      let server = try ScriptedServer { _, _ in isOpen.all.isEmpty ? .json("", status: "500 Oops") : .ok }
      defer { server.stop() }
      let bench = try LoggerBench(url: server.url, extra: "main: { batch_size: 10 },")
      try bench.start()
      FaultTests.play(recording.pieces[...], on: bench.feeder)
      #expect(bench.hasStored(25))
      let failed = server.received.count
      isOpen.note()
      let accepted = { server.received.dropFirst(failed).filter { !$0.times.isEmpty } }
      #expect(
        eventually(within: .seconds(30)) {
          accepted().flatMap(\.times).suffix(5).last == recording.isoTimes.last
        })
      #expect(bench.stopsInGoodOrder())
      let bodies = accepted().map { String(decoding: $0.body, as: UTF8.self) }
      let last = try #require(bodies.last)
      #expect(!last.contains(#""current""#), "nothing waits behind the last batch")
      let before = bodies.dropLast().last ?? ""
      let current = before.components(separatedBy: #""current":"#).last ?? ""
      #expect(before.contains(#""current":"#))
      #expect(current.contains(recording.isoTimes.last ?? "?"))
    }
  }
}

/// When something happened, for closures of other threads.
final class Moments: Sendable {
  private let moments = Mutex<[Moment]>([])

  func note() { moments.withLock { $0.append(SystemClock.moment()) } }
  var all: [Moment] { moments.withLock { $0 } }
}

extension ScriptedServer.Received {
  /// The times of the features in `locations`, in order.
  var times: [String] {
    let parts = (locations(in: body) ?? "").components(separatedBy: #""timestamp":""#)
    return parts.dropFirst().map { String($0.prefix { $0 != "\"" }) }
  }
}

extension ScriptedServer {
  var sentTimes: [String] { received.flatMap(\.times) }

  func times(ofRequests range: PartialRangeFrom<Int>) -> [String] {
    received.dropFirst(range.lowerBound).flatMap(\.times)
  }
}
