import EventLoop
import Foundation
import LocalAPI
import Quantities
import Records
import Settings
import Store
import TestSupport
import Testing
import WebAccess

@testable import Daemon

/// Questions of a server of the profile `outrider`, asked of the logger.
@Suite struct QuestionTests {
  /// The time of ``HTTPBench/simulated()`` at its start.
  static let start = Timestamp(milliseconds: 1_782_000_000_000)

  /// A server that asks one question in every response, and keeps the answers.
  final class Server {
    var question: String?
    private(set) var answers: [[String: Any]] = []
    private(set) var bodies: [[String: Any]] = []
    /// The response to a request with an answer; nil for a success.
    var failure: ScriptedServer.Reply?
    let scripted: ScriptedServer

    init(_ bench: HTTPBench, _ what: String) throws {
      question = what
      scripted = try ScriptedServer(bench.loop, [])
      scripted.answer = { [unowned self] in reply($0) }
    }

    private func reply(_ request: ScriptedServer.Request) -> ScriptedServer.Reply {
      let body = (try? JSONSerialization.jsonObject(with: Data(request.body))) as? [String: Any] ?? [:]
      bodies.append(body)
      if let answer = (body["report"] as? [String: Any])?["answer"] as? [String: Any] {
        if let failure { return failure }
        answers.append(answer)
      }
      let ask = question.map { #","ask":{"id":"41","what":"\#($0)"}"# } ?? ""
      return .answer(200, body: #"{"result":"ok"\#(ask)}"#)
    }

    /// The locations in all bodies.
    var coordinates: [[Double]] {
      bodies.flatMap { $0["locations"] as? [[String: Any]] ?? [] }.compactMap {
        ($0["geometry"] as? [String: Any])?["coordinates"] as? [Double]
      }
    }
  }

  static func logger(
    _ bench: HTTPBench, _ server: Server, destination: String = ", may_set: true", _ more: [String] = []
  ) throws -> Logger {
    let configuration = try Configuration.read(
      board: nil, file: nil,
      overrides: [
        "storage.directory=\(bench.directory)/log", "storage.allow_volatile=true", "api.enabled=false",
        "storage.commit_interval=200ms", "send_interval=60s",
        "destinations=[{ name: \"fleet\", kind: \"overland\", profile: \"outrider\", check_in: \"5m\", "
          + "url: \"\(server.scripted.url())\"\(destination) }]",
      ] + more, fallbacks: Fallbacks(deviceID: "van", apiSocket: "/nowhere"))
    return try Logger(loop: bench.loop, configuration: configuration, journal: LoggerTests.quiet)
  }

  static func fill(_ bench: HTTPBench, _ records: [LogRecord]) {
    let writer = LogWriter(
      directory: bench.directory + "/log", allowVolatile: true,
      options: LogOptions(bootID: "before", clock: { .zero }))
    _ = writer.handle(.append(records, urgent: false))
    _ = writer.handle(.close)
  }

  /// A location some seconds before the start of the logger.
  static func location(secondsAgo: Int64, latitude: Double = 52.5) throws -> LogRecord {
    let coordinate = try #require(Coordinate(latitude: latitude, longitude: 13.4))
    return LogRecord(
      moment: .zero, time: start + .seconds(-secondsAgo), timeQuality: .receiver,
      body: .location(LocationRecord(coordinate: coordinate, deviceID: "van")))
  }

  // MARK: The answers

  @Test(arguments: [
    ("report", "done"), ("position", "failed"), ("why", "done"), ("doctor", "done"), ("reboot", "refused"),
  ])
  func theAnswerIsInALaterReportOnce(what: String, outcome: String) throws {
    let bench = try HTTPBench.simulated()
    Self.fill(bench, [try Self.location(secondsAgo: 60)])
    let server = try Server(bench, what)
    let logger = try Self.logger(bench, server)
    logger.start()
    #expect(try bench.run(for: .seconds(3000)) { !server.answers.isEmpty })
    try bench.run(for: .seconds(1000))
    logger.stop()
    #expect(server.answers.count == 1 && server.bodies.count > 3, "the same question is answered once")
    let answer = try #require(server.answers.first)
    #expect(answer["id"] as? String == "41" && answer["outcome"] as? String == outcome, "\(answer)")
    if what == "doctor" {
      let findings = try #require(answer["findings"] as? [[String: Any]])
      #expect(!findings.isEmpty && findings.count <= 20)
      #expect(findings.allSatisfy { Set($0.keys).isSubset(of: ["check", "result", "meaning"]) })
    }
  }

  @Test func aServerThatMaySetNothingGetsNoAnswer() throws {
    let bench = try HTTPBench.simulated()
    let server = try Server(bench, "why")
    let logger = try Self.logger(bench, server, destination: ", may_set: false")
    logger.start()
    #expect(try bench.run(for: .seconds(3000)) { !server.answers.isEmpty })
    logger.stop()
    #expect(server.answers.first?["outcome"] as? String == "refused" && server.answers.first?["gaps"] == nil)
  }

  @Test func aPositionIsSentWithItsAnswer() throws {
    let bench = try HTTPBench.simulated()
    let server = try Server(bench, "position")
    let talker = try ModuleTalker(loop: bench.loop, .ublox10)
    let logger = try Self.logger(
      bench, server, ["receiver.port=\(talker.terminal.path)", "main.tracking_mode=off"])
    logger.start()
    #expect(try bench.run(for: .seconds(1000)) { !server.answers.isEmpty })
    logger.stop()
    #expect(server.answers.first?["outcome"] as? String == "done", "\(server.answers)")
    #expect(!server.coordinates.isEmpty)
    let keys = try Set(#require(server.answers.first).keys)
    #expect(keys.isSubset(of: ["id", "question", "outcome", "reason"]), "the answer itself has no position")
  }

  /// Whether there was a position is not told, either: the server could conclude that the device is in a privacy zone.
  @Test(arguments: [false, true]) func aPositionInAPrivacyZoneIsAnsweredAsOneThatIsMissing(isHidden: Bool)
    throws
  {
    let bench = try HTTPBench.simulated()
    let server = try Server(bench, "position")
    let talker = try ModuleTalker(loop: bench.loop, .ublox10)
    if !isHidden { talker.setReception(false) }
    let zone = "privacy_zones=[{ name: 'berlin', latitude: 52.5, longitude: 13.4, radius: '50km' }]"
    let logger = try Self.logger(
      bench, server,
      ["receiver.port=\(talker.terminal.path)", "main.tracking_mode=off"] + (isHidden ? [zone] : []))
    logger.start()
    #expect(try bench.run(for: .seconds(3000)) { !server.answers.isEmpty })
    #expect(logger.tracking.tracker.privacy.isHidden == isHidden)
    logger.stop()
    #expect(server.coordinates.isEmpty)
    let answer = try #require(server.answers.first).mapValues { "\($0)" }
    #expect(
      answer == [
        "id": "41", "question": "position", "outcome": "failed",
        "reason": "there was no position to send within 3 minutes",
      ])
  }

  /// A day with a gap outside, and one that begins and ends in a zone that was set up later.
  @Test(arguments: [false, true]) func gapsEndAtPositionsThatTheServerGets(hasZone: Bool) throws {
    let bench = try HTTPBench.simulated()
    let outside = try ([7200, 7140, 3600, 3540] as [Int64]).map { try Self.location(secondsAgo: $0) }
    let inside = try ([3000, 2940, 2000, 1940] as [Int64]).map {
      try Self.location(secondsAgo: $0, latitude: 10)
    }
    Self.fill(bench, outside + inside + [try Self.location(secondsAgo: 1000)])
    let server = try Server(bench, "why")
    let zone = "privacy_zones=[{ name: 'z', latitude: 10, longitude: 13.4, radius: '1km' }]"
    let logger = try Self.logger(bench, server, hasZone ? [zone] : [])
    logger.start()
    #expect(try bench.run(for: .seconds(3000)) { !server.answers.isEmpty })
    logger.stop()
    let gaps = try #require(server.answers.first?["gaps"] as? [[String: Any]])
    func time(_ secondsAgo: Int64) -> String { (Self.start + .seconds(-secondsAgo)).iso8601() }
    let ends = gaps.prefix(hasZone ? 2 : 4).map { "\($0["from"] ?? "") \($0["to"] ?? "")" }
    let expected: [(Int64, Int64)] =
      hasZone
      ? [(7140, 3600), (3540, 1000)] : [(7140, 3600), (3540, 3000), (2940, 2000), (1940, 1000)]
    #expect(ends == expected.map { "\(time($0.0)) \(time($0.1))" })
    #expect(gaps.allSatisfy { ($0["reason"] as? String)?.contains("privacy") == false })
  }

  // MARK: Restarts and sleeps

  @Test func aQuestionOutlastsARestartBeforeTheAnswer() throws {
    let bench = try HTTPBench.simulated()
    Self.fill(bench, [try Self.location(secondsAgo: 60)])
    let server = try Server(bench, "doctor")
    let first = try Self.logger(bench, server)
    // As if the host went down during the examination.
    first.delivery.fleet.questions.outputs.examine = { _ in nil }
    first.start()
    #expect(try bench.run(for: .seconds(600)) { first.delivery.fleet.questions.isBusy })
    first.stop()
    #expect(server.answers.isEmpty)
    server.question = nil
    let second = try Self.logger(bench, server)
    second.start()
    #expect(try bench.run(for: .seconds(3000)) { !server.answers.isEmpty })
    second.stop()
    #expect(server.answers.first?["outcome"] as? String == "done")
  }

  @Test func anAnswerOutlastsARestartUntilTheServerHasIt() throws {
    let bench = try HTTPBench.simulated()
    Self.fill(bench, [try Self.location(secondsAgo: 60)])
    let server = try Server(bench, "why")
    server.failure = .answer(503, body: "later")
    let first = try Self.logger(bench, server)
    first.start()
    #expect(try bench.run(for: .seconds(3000)) { server.bodies.count > 2 })
    first.stop()
    (server.failure, server.question) = (nil, nil)
    let second = try Self.logger(bench, server)
    // The answer is that of the first run.
    second.delivery.fleet.questions.outputs.gaps = { nil }
    second.start()
    #expect(try bench.run(for: .seconds(3000)) { !server.answers.isEmpty })
    try bench.run(for: .seconds(1000))
    second.stop()
    #expect(server.answers.count == 1 && server.answers.first?["outcome"] as? String == "done")
    let third = try Self.logger(bench, server)
    third.start()
    try bench.run(for: .seconds(1000))
    third.stop()
    #expect(server.answers.count == 1)
  }

  @Test func theHostStaysAwakeUntilThereIsAnAnswer() throws {
    let bench = try HTTPBench.simulated()
    Self.fill(bench, [try Self.location(secondsAgo: 60)])
    let server = try Server(bench, "doctor")
    let logger = try Self.logger(bench, server)
    var done: ((String) -> Void)?
    logger.delivery.fleet.questions.outputs.examine = {
      done = $0
      return nil
    }
    logger.start()
    #expect(try bench.run(for: .seconds(600)) { done != nil })
    try bench.run(for: .seconds(5))
    #expect(logger.delivery.isBusy)
    done?(
      #"{"checks":[{"id":"a","result":"ok"},{"id":"b","result":"error","meaning":"c","evidence":"secret"}]}"#)
    #expect(!logger.delivery.fleet.questions.isBusy)
    #expect(try bench.run(for: .seconds(3000)) { !server.answers.isEmpty })
    logger.stop()
    let findings = server.answers.first?["findings"] as? [[String: String]]
    #expect(findings == [["check": "b", "result": "error", "meaning": "c"]])
  }

  // MARK: The controller

  /// A controller without a logger, with the answers that it has found.
  final class Bench {
    let http: HTTPBench
    let questions: QuestionController
    var examinations = 0
    /// The result of an examination; nil for one that never ends.
    var problems: [Problem] = []
    var findings: String?

    init() throws {
      http = try HTTPBench.simulated()
      let configuration = try Configuration.read(
        board: nil, file: nil,
        overrides: [
          "destinations=[{ name: \"a\", kind: \"overland\", url: \"http://127.0.0.1:9/\", may_set: true }, "
            + "{ name: \"b\", kind: \"overland\", url: \"http://127.0.0.1:9/\", may_set: true }]"
        ], fallbacks: Fallbacks(deviceID: "van", apiSocket: "/nowhere"))
      questions = QuestionController(
        LoggerContext(loop: http.loop, journal: LoggerTests.quiet, configuration: configuration))
      questions.outputs.examine = { [unowned self] done in
        examinations += 1
        if !problems.isEmpty { return problems.removeFirst() }
        if let findings { http.loop.callNextTurn { done(findings) } }
        return nil
      }
    }

    func ask(_ id: String, _ what: String, from name: String) throws {
      questions.handle(try AskedQuestionsTests.ask(id, what), from: name)
    }

    func outcome(_ name: String) -> String? { questions.answer(for: name)?.outcome }
  }

  @Test func anExaminationWithoutAnEndBlocksNothingForLong() throws {
    let bench = try Bench()
    try bench.ask("1", "doctor", from: "a")
    try bench.ask("2", "report", from: "b")
    try bench.http.run(for: .seconds(119))
    #expect(bench.outcome("a") == nil && bench.questions.isBusy)
    #expect(try bench.http.run(for: .seconds(3)) { bench.outcome("b") != nil })
    #expect(bench.outcome("a") == "failed" && bench.outcome("b") == "done" && !bench.questions.isBusy)
    #expect(bench.questions.answer(for: "a")?.reason == "there was no result within 120 s")
  }

  @Test func anExaminationWaitsForTheOneOfAPerson() throws {
    let bench = try Bench()
    bench.problems = [Problem(503, "busy"), Problem(503, "busy")]
    bench.findings = #"{"checks":[]}"#
    try bench.ask("1", "doctor", from: "a")
    try bench.ask("2", "doctor", from: "b")
    #expect(try bench.http.run(for: .seconds(20)) { bench.outcome("b") != nil })
    #expect(bench.outcome("a") == "done" && bench.outcome("b") == "done" && bench.examinations == 4)
  }

  @Test func nothingFollowsAStop() throws {
    let bench = try Bench()
    bench.findings = #"{"checks":[]}"#
    try bench.ask("1", "doctor", from: "a")
    #expect(try bench.http.run(for: .seconds(20)) { bench.examinations == 1 })
    bench.questions.stop()
    try bench.http.run(for: .seconds(200))
    #expect(bench.outcome("a") == nil && !bench.questions.isBusy)
    try bench.ask("2", "report", from: "b")
    try bench.http.run(for: .seconds(1))
    #expect(bench.outcome("b") == nil)
  }
}
