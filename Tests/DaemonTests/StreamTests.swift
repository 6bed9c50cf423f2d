import EventLoop
import Foundation
import HTTPServer
import LocalAPI
import Quantities
import TestSupport
import Testing
@testable import Daemon

/// `GET /stream` of a running logger.
@Suite struct StreamTests {
  private let running: LocalAPITests.Running
  private var bench: HTTPBench { running.bench }
  private var logger: Logger { running.logger }

  init() throws {
    running = try LocalAPITests.logger()
    let logger = running.logger
    #expect(try running.bench.run { logger.supervision.isReady && logger.log.recordsWaiting == 0 })
  }

  private func follow(_ target: String = "/stream", headers: [String] = [], waits: Bool = true) throws
    -> RawHTTPClient
  {
    let client = try RawHTTPClient(loop: bench.loop, path: bench.directory + "/api.sock")
    client.send(RawHTTPClient.request("GET", target, headers: headers))
    if waits { #expect(try bench.run { Self.text(client).contains("event: status") }) }
    return client
  }

  private static func text(_ client: RawHTTPClient) -> String {
    String(decoding: client.received, as: UTF8.self)
  }

  private var stream: EventStream { get throws { try #require(logger.stream) } }

  @Test func aClientGetsTheStatusFirstAndThenWhatIsPublished() throws {
    defer { logger.stop() }
    let stream = try stream
    #expect(!stream.hasClients && !stream.hasDeadline)
    var changes = 0
    stream.outputs.clientsChanged = { changes += 1 }
    let client = try follow()
    let head = Self.text(client)
    #expect(head.contains("Content-Type: text/event-stream") && head.contains("Cache-Control: no-store"))
    #expect(head.contains("retry: 5000\n\n") && head.contains("\"device_id\":\"van\""))
    #expect(stream.hasClients && !stream.wantsSky && !stream.wantsRaw && !stream.wantsLive)
    #expect(try bench.run { changes == 1 })
    stream.publish(.fix(Array("[{\"class\":\"TPV\"}]".utf8)))
    #expect(try bench.run { Self.text(client).contains("event: fix\ndata: [{\"class\":\"TPV\"}]\n\n") })
    client.close()
    #expect(try bench.run { !stream.hasClients && changes == 2 })
    #expect(!stream.hasDeadline, "without a client no timer is armed")
  }

  @Test func topicsAreSentToThoseWhoRequestThem() throws {
    defer { logger.stop() }
    let stream = try stream
    let plain = try follow()
    let all = try follow("/stream?sky=1&raw=1&live=1")
    #expect(stream.wantsSky && stream.wantsRaw && stream.wantsLive)
    stream.publish(.sky(Array("{}".utf8)))
    stream.publish(.raw(Array("{}".utf8)))
    stream.publish(.trip(Array("{}".utf8)))
    #expect(try bench.run { [plain, all].allSatisfy { Self.text($0).contains("event: trip") } })
    #expect(Self.text(all).contains("event: sky") && Self.text(all).contains("event: raw"))
    #expect(!Self.text(plain).contains("event: sky") && !Self.text(plain).contains("event: raw"))
    all.close()
    #expect(try bench.run { !stream.wantsSky })
    #expect(!stream.wantsRaw && !stream.wantsLive && stream.hasClients)
  }

  @Test func aFifthClientIsAskedToRetryAndGetsThePlaceOfAnother() throws {
    defer { logger.stop() }
    let clients = try (0..<4).map { _ in try follow() }
    let fifth = try follow(waits: false)
    #expect(try bench.run { fifth.answers.count == 1 })
    #expect(fifth.answers[0].status == 503 && fifth.answers[0].headers["retry-after"] == "15")
    #expect(fifth.answers[0].headers["content-type"] == "application/problem+json")
    clients[1].close()
    let stream = try stream
    var count = 0
    stream.outputs.clientsChanged = { count += 1 }
    #expect(try bench.run { count == 1 })
    _ = try follow()
  }

  @Test func aClientThatConnectsAgainMissesNoEvent() throws {
    defer { logger.stop() }
    for number in 0..<30 {
      let outcome = UpdateOutcome(version: "0.3.\(number)", previousVersion: "0.2.0", reason: nil)
      _ = logger.record(try #require(outcome))
    }
    let log = logger.log
    #expect(try bench.run { log.recordsWaiting == 0 })
    let rows = try bench.ask(
      running.port, "GET", "/events?after=0", headers: ["Authorization: Bearer sesame"]
    ).text
    let all = rows.matches(of: /"id":(\d+)/).compactMap { Int64($0.1) }
    try #require(all.count > 30)
    let last = all[5]
    let client = try follow(headers: ["Last-Event-ID: \(last)"])
    #expect(try bench.run { Self.text(client).contains("id: \(all[all.count - 1])\n") })
    try stream.publish(.event(id: all[all.count - 1], Array("{\"twice\":1}".utf8)))
    try stream.publish(.event(id: all[all.count - 1] + 1, Array("{\"new\":1}".utf8)))
    #expect(try bench.run { Self.text(client).contains("\"new\"") })
    let ids = Self.text(client).matches(of: /\nid: (\d+)\n/).compactMap { Int64($0.1) }
    #expect(ids == Array(all[6...]) + [all[all.count - 1] + 1])
    #expect(!Self.text(client).contains("twice"))
  }

  @Test(arguments: ["-1", "9223372036854775807", "x", "99999999999999999999", ""])
  func anIDThatTheLogDoesNotHaveHidesNoLaterEvent(id: String) throws {
    defer { logger.stop() }
    let client = try follow(headers: ["Last-Event-ID: \(id)"])
    try stream.publish(.event(id: 1_000_000, Array("{\"new\":1}".utf8)))
    #expect(try bench.run { Self.text(client).contains("id: 1000000\n") })
  }

  @Test func aClientThatDoesNotReadLagsAndStartsAgainFromAStatus() throws {
    defer { logger.stop() }
    let (slow, quick) = (try follow(), try follow())
    slow.stopReading()
    let stream = try stream
    let message = StreamEvent.fix([UInt8](repeating: UInt8(ascii: "1"), count: 8000))
    for _ in 0..<100 {
      let before = quick.received.count
      stream.publish(message)
      #expect(try bench.run { quick.received.count > before + 8000 })
    }
    #expect(!Self.text(quick).contains("event: lagged"))
    slow.startReading()
    #expect(try bench.run { Self.text(slow).contains("event: lagged\ndata: {}\n\n") })
    #expect(
      try bench.run {
        Self.text(slow).components(separatedBy: "event: lagged")[1].contains("event: status")
      })
    #expect(slow.received.count < 400_000)
  }

  @Test func theEndOfTheProgramIsAnnounced() throws {
    let client = try follow()
    logger.stop()
    #expect(try bench.run { client.isClosed })
    #expect(
      Self.text(client).contains("event: closing\ndata: {\"reason\":\"program ends\",\"until\":null}\n\n"))
  }

  @Test(arguments: [("/stream?sky=2", 400), ("/stream?sky", 400), ("/stream?rate=1", 400)])
  func anUnknownRequestIsAProblem(target: String, status: Int) throws {
    defer { logger.stop() }
    let client = try follow(target, waits: false)
    #expect(try bench.run { client.answers.count == 1 })
    #expect(client.answers[0].status == status)
    #expect(try !stream.hasClients)
  }

  @Test func aHEADRequestTakesNoPlace() throws {
    defer { logger.stop() }
    let client = try RawHTTPClient(loop: bench.loop, path: bench.directory + "/api.sock")
    client.send("HEAD /stream HTTP/1.1\r\nHost: localhost\r\nConnection: close\r\n\r\n")
    #expect(try bench.run { client.isClosed })
    #expect(Self.text(client).hasPrefix("HTTP/1.1 200") && Self.text(client).contains("text/event-stream"))
    #expect(try !stream.hasClients)
  }
}

/// The comments by which proxies see that a silent stream is alive.
@Suite struct StreamCommentTests {
  @Test func aSilentStreamGetsACommentAfter55SecondsAndNoneWithTraffic() throws {
    let bench = try HTTPBench.simulated()
    let running = try LocalAPITests.logger(on: bench, extra: ["tracking=false"])
    defer { running.logger.stop() }
    #expect(try bench.run { running.logger.supervision.isReady })
    let client = try RawHTTPClient(loop: bench.loop, path: bench.directory + "/api.sock")
    client.send(RawHTTPClient.request("GET", "/stream"))
    func comments() -> Int {
      String(decoding: client.received, as: UTF8.self).components(separatedBy: "\n\n:\n\n").count - 1
    }
    let stream = try #require(running.logger.stream)
    #expect(try bench.run { stream.hasClients })
    try bench.run(for: .seconds(20))
    #expect(comments() == 0 && stream.hasDeadline)
    try bench.run(for: .seconds(40))
    #expect(String(decoding: client.received, as: UTF8.self).contains(":\n\n"))
  }
}
