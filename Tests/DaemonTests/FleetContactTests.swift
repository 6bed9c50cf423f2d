import Foundation
import LocalAPI
import Quantities
import Records
import Settings
import Store
import TestSupport
import Testing

@testable import Daemon

/// A server of the profile `outrider`: events, reports, and queues that move back.
@Suite struct FleetContactTests {
  static func second(_ number: Int) -> Moment { .zero + .seconds(number) }

  @Test func aReportIsDueAtTheStartAndThenEveryInterval() {
    var contact = FleetContact()
    func isDue(_ seconds: Int) -> Bool {
      contact.isReportDue(every: .seconds(3600), now: Self.second(seconds))
    }
    #expect(isDue(0))
    contact.begin(withReport: true)
    #expect(isDue(1), "the request is not confirmed yet")
    contact.confirm(now: Self.second(2))
    #expect(!isDue(3601) && isDue(3602))
    contact.begin(withReport: false)
    contact.confirm(now: Self.second(3000))
    #expect(isDue(3602), "a request without a report")
    contact.requestReport()
    #expect(isDue(3))
    contact.begin(withReport: true)
    contact.requestReport()
    contact.confirm(now: Self.second(4))
    #expect(isDue(5), "the report was sent before what it should say")
  }

  @Test func newSettingsAreAnsweredWithAReport() throws {
    var contact = FleetContact()
    contact.begin(withReport: true)
    let answer = FleetAnswer(Array(#"{"result":"ok","settings_for":"sha256:1"}"#.utf8))
    contact.confirm(now: Self.second(1))
    contact.take(answer)
    #expect(contact.isReportDue(every: .seconds(3600), now: Self.second(2)))
    #expect(contact.settingsHash == "sha256:1")
    contact.begin(withReport: true)
    contact.confirm(now: Self.second(3))
    contact.take(answer)
    #expect(!contact.isReportDue(every: .seconds(3600), now: Self.second(4)))
    let long = FleetAnswer(Array(#"{"settings_for":"\#(String(repeating: "x", count: 101))"}"#.utf8))
    contact.take(long)
    #expect(contact.settingsHash == "sha256:1")
  }

  struct Answer: CustomTestStringConvertible, Sendable {
    var body: String
    var accepted: Int64?
    var expected: Int64?
    var testDescription: String { "\(body) after \(accepted.map(String.init) ?? "nothing")" }
  }

  @Test(arguments: [
    Answer(body: #"{"have":40}"#, accepted: 50, expected: 40),
    Answer(body: #"{"have":0}"#, accepted: 50, expected: 0),
    Answer(body: #"{"have":50}"#, accepted: 50, expected: nil),
    Answer(body: #"{"have":51}"#, accepted: 50, expected: nil),
    Answer(body: #"{"have":40}"#, accepted: nil, expected: nil),
    Answer(body: #"{"have":-1}"#, accepted: 50, expected: nil),
    Answer(body: #"{"have":"40"}"#, accepted: 50, expected: nil),
    Answer(body: #"{"have":4.5}"#, accepted: 50, expected: nil),
    Answer(body: #"{"have":99999999999999999999}"#, accepted: 50, expected: nil),
    Answer(body: #"{"result":"ok"}"#, accepted: 50, expected: nil),
    Answer(body: "<html>", accepted: 50, expected: nil),
  ])
  func theQueueMovesBackOnlyIfTheServerLacksRecords(answer: Answer) {
    var contact = FleetContact()
    let missing = contact.takeRewind(
      FleetAnswer(Array(answer.body.utf8)), accepted: answer.accepted.map { RecordID($0) },
      first: RecordID(1),
      now: .zero)
    #expect(missing?.rawValue == answer.expected)
  }

  @Test func theQueueMovesBackOnceAnHour() {
    var contact = FleetContact()
    func moves(_ seconds: Int, to have: Int) -> Bool {
      let answer = FleetAnswer(Array(#"{"have":\#(have)}"#.utf8))
      return contact.takeRewind(answer, accepted: RecordID(9), first: RecordID(1), now: Self.second(seconds))
        != nil
    }
    #expect(moves(0, to: 4) && !moves(1, to: 3) && !moves(3599, to: 3) && moves(3600, to: 3))
    #expect(!moves(9000, to: 3), "the server rejects record 4")
    #expect(moves(9000, to: 5))
    #expect(!moves(20_000, to: 5), "the server rejects record 6")
    #expect(!moves(20_001, to: 9), "the server has all")
    #expect(moves(20_002, to: 5), "it has lost it since")
  }

  @Test(
    arguments: [(have: 0, first: 5, to: 4), (3, 5, 4), (4, 5, 4), (6, 5, 6), (0, 10, nil), (9, 5, nil)]
      as [(have: Int, first: Int64, to: Int64?)])
  func theQueueNeverMovesBackBeforeTheFirstRecordOfTheServer(
    test: (have: Int, first: Int64, to: Int64?)
  ) {
    var contact = FleetContact()
    let answer = FleetAnswer(Array(#"{"have":\#(test.have)}"#.utf8))
    let missing = contact.takeRewind(
      answer, accepted: RecordID(9), first: RecordID(test.first), now: .zero)
    #expect(missing?.rawValue == test.to)
  }

  // MARK: The logger

  /// Keeps the records of all bodies as the collector would, and forgets some once.
  final class Server {
    private(set) var bodies: [[String: Any]] = []
    private(set) var records: Set<Int64> = []
    /// The records of bodies that name them, in order of arrival.
    private(set) var order: [Int64] = []
    var scripted: ScriptedServer?
    /// True to reject everything for now.
    var isAway = false

    /// The numbers of the records in all bodies.
    var received: [Int64] {
      bodies.flatMap { body -> [Int64] in
        let features = (body["locations"] as? [[String: Any]] ?? []).compactMap {
          $0["properties"] as? [String: Any]
        }
        return (features + (body["events"] as? [[String: Any]] ?? [])).compactMap { $0["record"] as? Int64 }
      }
    }

    func keep(_ numbers: Set<Int64>) { records = numbers }

    func forget(after record: Int64) { records = records.filter { $0 <= record } }

    func answer(_ request: ScriptedServer.Request) -> ScriptedServer.Reply {
      guard let body = try? JSONSerialization.jsonObject(with: Data(request.body)) as? [String: Any] else {
        return .answer(400, body: "not JSON")
      }
      if isAway { return .answer(503, body: "{}") }
      bodies.append(body)
      if let first = body["first"] as? Int64, first > 1 { records.formUnion(1..<first) }
      if let from = body["from"] as? Int64, let through = body["through"] as? Int64 {
        records.formUnion(from...max(through, from))
        order.append(through)
      }
      let have = (1...Int64.max).first { !records.contains($0) }.map { $0 - 1 } ?? 0
      return .answer(200, body: #"{"result":"ok","have":\#(have)}"#)
    }
  }

  static func configuration(_ bench: HTTPBench, url: String, _ more: String = "") throws -> Configuration {
    try Configuration.read(
      board: nil, file: nil,
      overrides: [
        "storage.directory=\(bench.directory)/log", "storage.allow_volatile=true", "api.enabled=false",
        "main.batch_size=5", "send_interval=10s",
        "destinations=[{ name: \"fleet\", kind: \"overland\", profile: \"outrider\", url: \"\(url)\"\(more) }]",
      ], fallbacks: Fallbacks(deviceID: "van", apiSocket: "/nowhere"))
  }

  static func start(
    _ bench: HTTPBench, _ server: Server, _ more: String = "", stored: StoredSettings = StoredSettings()
  ) throws -> Logger {
    let scripted = try ScriptedServer(bench.loop, [])
    scripted.answer = { [unowned server] in server.answer($0) }
    server.scripted = scripted
    let logger = try Logger(
      loop: bench.loop, configuration: try configuration(bench, url: scripted.url(), more), stored: stored,
      journal: LoggerTests.quiet)
    logger.start()
    return logger
  }

  @Test func everyRecordIsAccountedForAndEventsArrive() throws {
    let bench = try HTTPBench.simulated()
    let records = (0..<12).map(location)
    let writer = LogWriter(
      directory: bench.directory + "/log", allowVolatile: true,
      options: LogOptions(bootID: "before", clock: { .zero }))
    var event = LogRecord(event: .stopped)
    (event.time, event.timeQuality) = (records[3].time, .receiver)
    _ = writer.handle(.append(records[..<4] + [event] + records[4...], urgent: false))
    _ = writer.handle(.close)
    let server = Server()
    let logger = try Self.start(bench, server)
    #expect(try bench.run(for: .seconds(60)) { server.records.count >= 13 })
    logger.stop()
    let locations = server.bodies.flatMap { $0["locations"] as? [[String: Any]] ?? [] }
    let numbers = locations.compactMap { ($0["properties"] as? [String: Any])?["record"] as? Int64 }
    #expect(numbers == Array(1...4) + Array(6...13))
    let events = server.bodies.flatMap { $0["events"] as? [[String: Any]] ?? [] }
    #expect(events.compactMap { $0["record"] as? Int64 } == [5])
    let logs = Set(server.bodies.compactMap { $0["log"] as? String })
    #expect(logs.count == 1 && logs.first?.count == 36)
    let report = try #require(server.bodies.first?["report"] as? [String: Any])
    #expect(report["version"] is String)
    #expect(server.bodies.dropFirst().allSatisfy { $0["report"] == nil }, "one report an hour")
  }

  @Test func theIdentityOfTheLogOutlastsARestart() throws {
    let bench = try HTTPBench.simulated()
    LoggerTests.fill(bench, count: 1)
    let server = Server()
    for _ in 0..<2 {
      let count = server.bodies.count
      let logger = try Self.start(bench, server)
      #expect(try bench.run(for: .seconds(60)) { server.bodies.count > count })
      logger.stop()
    }
    #expect(Set(server.bodies.compactMap { $0["log"] as? String }).count == 1)
  }

  @Test func aServerThatLostRecordsGetsThemAgainOnce() throws {
    let bench = try HTTPBench.simulated()
    LoggerTests.fill(bench, count: 30)
    let server = Server()
    let logger = try Self.start(bench, server)
    #expect(try bench.run(for: .seconds(60)) { server.records.count >= 30 })
    server.forget(after: 12)
    // The next contact is the check-in at the latest.
    logger.delivery.sendNow()
    #expect(try bench.run(for: .seconds(100_000)) { server.records.count >= 30 })
    #expect(server.order.contains(17), "the batch after record 12")
    logger.stop()
    let reader = try LogReader(directory: bench.directory + "/log")
    let events = try reader.records(after: .zero, limit: 1000).compactMap { stored in
      if case .event(let event) = stored.record.body, event.kind == .queueRewound { event } else { nil }
    }
    #expect(events.count == 1)
    #expect(events.first?.fields.number(.record) == 13)
  }

  @Test func aDiscardedQueueIsNotSentEvenIfTheServerLacksIt() throws {
    let bench = try HTTPBench.simulated()
    LoggerTests.fill(bench, count: 30)
    let server = Server()
    server.isAway = true
    let logger = try Self.start(bench, server)
    #expect(try bench.run(for: .seconds(60)) { !(server.scripted?.requests.isEmpty ?? true) })
    logger.delivery.dropQueues(of: ["fleet"])
    logger.delivery.configurationChanged()
    server.isAway = false
    for _ in 0..<3 {
      logger.delivery.sendNow()
      try bench.run(for: .seconds(20))
    }
    #expect(server.bodies.count > 1)
    #expect(server.received.allSatisfy { $0 > 30 }, "\(server.received)")
    let first = try #require(server.bodies.last?["first"] as? Int64)
    #expect(first > 30)
    // The first record is remembered beyond a restart.
    var stored = StoredSettings()
    logger.delivery.store(in: &stored)
    #expect(stored.destinations?["fleet"]?.first == first)
    logger.stop()
  }

  @Test(arguments: [true, false]) func anotherServerGetsOnlyTheQueue(isNew: Bool) throws {
    let bench = try HTTPBench.simulated()
    LoggerTests.fill(bench, count: 30)
    var server = Server()
    var logger = try Self.start(bench, server)
    #expect(try bench.run(for: .seconds(60)) { server.records.count >= 30 })
    var stored = StoredSettings()
    logger.delivery.store(in: &stored)
    logger.stop()
    let before = server.records
    server = Server()
    // The same database at another address, restored from a backup, or another one.
    if !isNew { server.keep(before.filter { $0 <= 12 }) }
    logger = try Self.start(bench, server, stored: stored)
    for _ in 0..<3 {
      logger.delivery.sendNow()
      try bench.run(for: .seconds(20))
    }
    logger.stop()
    #expect(server.received.contains(13) == !isNew, "\(server.received)")
    #expect(Set(server.received).count == server.received.count || !isNew)
    let firsts = server.bodies.map { $0["first"] as? Int64 ?? 0 }
    #expect((firsts.last ?? 0 > 13) == isNew, "\(firsts)")
  }

  @Test func aDeviceWithNothingToSendChecksIn() throws {
    let bench = try HTTPBench.simulated()
    LoggerTests.fill(bench, count: 1)
    let server = Server()
    let logger = try Self.start(bench, server, ", check_in: \"1h\"")
    #expect(try bench.run(for: .seconds(60)) { !server.bodies.isEmpty })
    let count = server.bodies.count
    try bench.run(for: .seconds(3700))
    #expect(server.bodies.count > count)
    let last = try #require(server.bodies.last)
    #expect((last["locations"] as? [Any])?.isEmpty == true && last["report"] is [String: Any])
    logger.stop()
  }

  // MARK: Enrolment

  /// Runs a logger until the server has got `count` more requests; returns their bearer tokens.
  static func tokens(
    _ bench: HTTPBench, _ server: ScriptedServer, _ count: Int, url: String
  ) throws -> [String] {
    let before = server.requests.count
    let sources = ConfigurationSources(
      overrides: [
        "storage.directory=\(bench.directory)/log", "storage.allow_volatile=true", "api.enabled=false",
        "main.batch_size=1", "send_interval=10s",
        "destinations=[{ name: \"fleet\", kind: \"overland\", profile: \"outrider\", url: \"\(url)\", "
          + "token: \"image\", enrol: true, check_in: \"5m\" }]",
      ], fallbacks: Fallbacks(deviceID: "van", apiSocket: "/nowhere"))
    let kept = try SettingsFile.read(in: bench.directory + "/log", limit: StoredSettings.largest)
    let logger = try Logger(
      loop: bench.loop, configuration: try sources.configuration(), sources: sources,
      stored: try kept.map { try StoredSettings(json: $0) } ?? StoredSettings(), journal: LoggerTests.quiet)
    logger.start()
    #expect(try bench.run(for: .seconds(3600)) { server.requests.count >= before + count })
    // The last response is handled.
    try bench.run(for: .seconds(1))
    let answers = logger.delivery.sends(with: "fleet") { _ in nil }.sends.map(\.answer)
    #expect(!answers.contains { $0.contains("own") }, "no message repeats the token")
    logger.stop()
    return server.requests[before...].map { String(($0.headers["authorization"] ?? "").dropFirst(7)) }
  }

  @Test func theTokenOfACardImageIsReplacedOnceAndForAllRuns() throws {
    let bench = try HTTPBench.simulated()
    LoggerTests.fill(bench, count: 3)
    let server = try ScriptedServer(bench.loop, [])
    server.answer = { request in
      request.headers["authorization"] == "Bearer image"
        ? .answer(200, body: #"{"result":"ok","set":{"token":"own"}}"#)
        : .answer(200, body: #"{"result":"ok"}"#)
    }
    #expect(try Self.tokens(bench, server, 3, url: server.url()) == ["image", "own", "own"])
    #expect(try Self.tokens(bench, server, 1, url: server.url()).allSatisfy { $0 == "own" })
  }

  @Test func aRefusedNewTokenIsGivenBackForTheOneOfTheImage() throws {
    let bench = try HTTPBench.simulated()
    LoggerTests.fill(bench, count: 3)
    let server = try ScriptedServer(bench.loop, [])
    var given = 0
    server.answer = { request in
      switch request.headers["authorization"] {
      case "Bearer own2": return .answer(200, body: #"{"result":"ok"}"#)
      case "Bearer image":
        given += 1
        return .answer(200, body: #"{"result":"ok","set":{"token":"own\#(given)"}}"#)
      default: return .answer(401, body: "no")
      }
    }
    let tokens = try Self.tokens(bench, server, 4, url: server.url())
    #expect(tokens.prefix(4) == ["image", "own1", "image", "own2"], "\(tokens)")
  }
}
