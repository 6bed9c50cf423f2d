import Foundation
import LocalAPI
import Quantities
import Settings
import TestSupport
import Testing
@testable import Daemon

/// The conversation with the servers, as `GET /sends` and the status tell it.
@Suite struct SendsTests {
  private static func logger(_ bench: HTTPBench, _ server: ScriptedServer, _ members: String = "") throws
    -> Logger
  {
    let destination =
      "destinations=[{ name: \"home\", kind: \"overland\", url: \"\(server.url())\"\(members) }]"
    return try StatusKeysTests.logger(bench, [destination, "send_interval=1s"])
  }

  private static func sends(_ logger: Logger, of destination: String? = nil) throws -> [SendsReport.Send] {
    guard case .done(let json) = logger.sends(of: destination) else { return [] }
    return try JSONDecoder().decode(SendsReport.self, from: Data(json.utf8)).sends
  }

  /// Sends some records and waits until the server has answered.
  private static func send(_ logger: Logger, _ second: Int64, _ bench: HTTPBench) throws {
    let before = try sends(logger).count
    StatusKeysTests.drive(logger, second...second + 3, bench)
    _ = logger.send(to: nil)
    #expect(
      try bench.run(for: .seconds(120)) {
        (try? sends(logger).count).map { $0 > before || before == 20 } ?? false
      })
  }

  struct Case: Sendable, CustomTestStringConvertible {
    let promise: String
    let status: Int
    var body = ""
    let answer: String
    let consequence: String
    var testDescription: String { promise }
  }

  static let cases = [
    Case(
      promise: "an accepted batch", status: 200, body: #"{"result":"ok"}"#, answer: #"{"result":"ok"}"#,
      consequence: "accepted"),
    Case(
      promise: "control characters are removed", status: 503, body: "a\u{1b}[31m\r\nb\u{0}c\u{202e}d",
      answer: "a [31m b c d", consequence: "retried"),
    Case(
      promise: "a long answer is cut", status: 503, body: String(repeating: "x", count: 5000),
      answer: String(repeating: "x", count: 200), consequence: "retried"),
    Case(
      promise: "a repeated secret is hidden", status: 401, body: "bad token sesame!",
      answer: "(hidden: the response repeats a secret)", consequence: "retried"),
  ]

  @Test(arguments: cases)
  func anAttemptIsListedWithTheAnswer(_ test: Case) throws {
    let bench = try HTTPBench.simulated()
    let server = try ScriptedServer(bench.loop, [])
    server.answer = { _ in .answer(test.status, body: test.body) }
    let logger = try Self.logger(bench, server, ", token: \"sesame\"")
    defer { logger.stop() }
    #expect(try bench.run { logger.supervision.isReady })
    try Self.send(logger, 0, bench)
    let send = try #require(try Self.sends(logger, of: "home").first)
    #expect(send.destination == "home" && send.status == test.status && send.records > 0 && send.bytes > 100)
    #expect(send.answer == test.answer && send.consequence == test.consequence, "\(send)")
    #expect(send.time?.hasPrefix("2026-03-21T") == true && send.duration_s >= 0)
    let detail = try #require(logger.status.destinations.first?.last_answer_detail)
    #expect(detail.status == test.status && detail.text == test.answer)
    let today = try #require(logger.status.today)
    #expect(today.sends ?? 0 >= 1 && today.bytes_sent ?? 0 >= send.bytes)
  }

  @Test func theLastTwentyAttemptsAreKeptNewestFirst() throws {
    let bench = try HTTPBench.simulated()
    let server = try ScriptedServer(bench.loop, [])
    server.answer = { _ in .answer(200, body: #"{"result":"ok"}"#) }
    let logger = try Self.logger(bench, server)
    defer { logger.stop() }
    #expect(try bench.run { logger.supervision.isReady })
    for round in 0..<25 as Range<Int64> { try Self.send(logger, round * 10, bench) }
    let sends = try Self.sends(logger)
    #expect(sends.count == 20)
    #expect(sends.map { $0.time ?? "" } == sends.map { $0.time ?? "" }.sorted(by: >))
  }

  @Test func aDestinationThatDoesNotExistIsAnError() throws {
    let bench = try HTTPBench.simulated()
    let logger = try StatusKeysTests.logger(bench)
    defer { logger.stop() }
    guard case .refused(let problem) = logger.sends(of: "nowhere") else {
      Issue.record("an unknown destination is accepted")
      return
    }
    #expect(problem.status == 404)
  }

  @Test func theRoutesAnswerOverHTTP() throws {
    let running = try LocalAPITests.logger()
    defer { running.logger.stop() }
    let sends = try LocalAPITests.ask(running, "GET", "/sends")
    #expect(sends.status == 200 && String(decoding: sends.body, as: UTF8.self) == #"{"sends":[]}"#)
    let schema = try LocalAPITests.ask(running, "GET", "/settings/schema")
    #expect(schema.status == 200 && String(decoding: schema.body, as: UTF8.self) == SettingsReference.json)
  }
}
