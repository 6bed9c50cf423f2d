import Foundation
import Quantities
import Synchronization
import System
import Testing
import TextSnapshots

extension FaultTests {
  /// Faults of a server.
  @Suite struct Server {
    static let texts = TextSnapshot("commands")

    /// One way of rejecting a batch.
    struct Refusal: Sendable, CustomTestStringConvertible {
      var name: String
      var answer: ScriptedServer.Answer
      /// True if the transfer itself fails.
      var isTransport = false
      var testDescription: String { name }
    }

    static let login = "<html><body>Please log in</body></html>"
    static let half = "HTTP/1.1 200 OK\r\nContent-Length: 200\r\n\r\n{\"result\":\"ok\"}"
    static let moved = "Location: http://127.0.0.1:1/elsewhere\r\n"

    static let refusals = [
      Refusal(name: "500", answer: .json("{}", status: "500 Oops")),
      Refusal(name: "HTML with 200", answer: .json(login)),
      Refusal(name: "an empty list", answer: .json("[]")),
      Refusal(name: "nothing with 200", answer: .json("")),
      Refusal(name: "OK in capitals", answer: .json(#"{"result":"OK"}"#)),
      Refusal(name: "half a body", answer: .bytes(half), isTransport: true),
      Refusal(name: "a closed connection", answer: .close, isTransport: true),
      Refusal(
        name: "a redirect to another method", answer: .json("", status: "301 Moved", headers: moved)),
      Refusal(name: "no HTTP", answer: .bytes("+OK ready\r\n"), isTransport: true),
      Refusal(name: "401", answer: .json("{}", status: "401 No")),
    ]

    @Test("every record arrives once after wrong responses", arguments: refusals)
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
      let recovered = bench.events("delivery_recovered")
      #expect(recovered.count == 1)
      #expect(recovered.first == Self.texts.expected("delivery_recovered", recovered.first ?? ""))
      let detail = bench.events("delivery_failing").first ?? ""
      #expect(bench.standardError.contains(detail))
      // The words of curl for a broken connection vary; the remedy follows them.
      let parts = detail.components(separatedBy: "; ")
      let cause = (refusal.isTransport ? parts.last ?? "" : detail).replacingOccurrences(
        of: ":\(server.port)", with: ":PORT")
      #expect(detail.contains("home"))
      #expect(cause == Self.texts.expected("delivery_failing: \(refusal.name)", cause))
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

    @Test func retryAfterOfAServerIsObeyed() throws {
      let recording = Recording.simulated(epochs: 5)
      let moments = Moments()
      let server = try ScriptedServer { number, _ in
        moments.recordTime()
        return number == 0 ? .json("", status: "503 Busy", headers: "Retry-After: 3\r\n") : .ok
      }
      defer { server.stop() }
      let bench = try LoggerBench(url: server.url)
      try bench.start()
      FaultTests.play(recording.pieces[...], on: bench.feeder)
      #expect(eventually(within: .seconds(20)) { server.received.count >= 2 })
      let all = moments.all
      // Without Retry-After the first back-off is at most 2 s.
      #expect(all[1] - all[0] >= .seconds(3))
      #expect(bench.hasEvent("delivery_recovered"))
      #expect(bench.stopsInGoodOrder())
    }

    @Test func theTokenIsSentAndNeverLogged() throws {
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

    @Test func theNewestFixIsSentWithABatchWhileMoreAreQueued() throws {
      let recording = Recording.simulated(epochs: 25)
      let isOpen = Moments()
      let server = try ScriptedServer { _, _ in isOpen.all.isEmpty ? .json("", status: "500 Oops") : .ok }
      defer { server.stop() }
      let bench = try LoggerBench(url: server.url, extra: "main: { batch_size: 10 },")
      try bench.start()
      FaultTests.play(recording.pieces[...], on: bench.feeder)
      #expect(bench.hasStored(25))
      let failed = server.received.count
      isOpen.recordTime()
      let accepted = { server.received.dropFirst(failed).filter { !$0.times.isEmpty } }
      #expect(
        eventually(within: .seconds(30)) {
          accepted().flatMap(\.times).suffix(5).last == recording.isoTimes.last
        })
      #expect(bench.stopsInGoodOrder())
      let bodies = accepted().map { String(decoding: $0.body, as: UTF8.self) }
      let last = try #require(bodies.last)
      #expect(!last.contains(#""current""#), "the queue is empty after the last batch")
      let before = bodies.dropLast().last ?? ""
      let current = before.components(separatedBy: #""current":"#).last ?? ""
      #expect(before.contains(#""current":"#))
      #expect(current.contains(recording.isoTimes.last ?? "?"))
    }
  }
}

/// The times of events, for closures on other threads.
final class Moments: Sendable {
  private let moments = Mutex<[Moment]>([])

  func recordTime() { moments.withLock { $0.append(SystemClock.moment()) } }
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
