import Foundation
import LocalAPI
import Quantities
import Records
import Settings
import TestSupport
import Testing
@testable import Daemon

/// The figures of a running logger as `GET /metrics` reports them.
@Suite struct LoggerMetricsTests {
  private static func values(_ logger: Logger) -> [String: Double] {
    let text = MetricsText(logger.status, logger.counters, isForGuests: false).rendered(.text)
    let lines = String(decoding: text, as: UTF8.self).split(separator: "\n").filter { !$0.hasPrefix("#") }
    return Dictionary(
      uniqueKeysWithValues: lines.compactMap { line -> (String, Double)? in
        let space = line.lastIndex(of: " ") ?? line.startIndex
        return Double(line[line.index(after: space)...]).map { (String(line[..<space]), $0) }
      })
  }

  @Test func aDriveIsCountedAndNoCounterFalls() throws {
    let bench = try HTTPBench.simulated()
    let server = try ScriptedServer(bench.loop, [])
    var status = 200
    server.answer = { _ in .answer(status, body: #"{"result":"ok"}"#) }
    let destination = "destinations=[{ name: \"home\", kind: \"overland\", url: \"\(server.url())\" }]"
    let logger = try StatusKeysTests.logger(bench, [destination, "send_interval=1s"])
    defer { logger.stop() }
    #expect(try bench.run { logger.supervision.isReady })
    var last = Self.values(logger)
    for round in 0..<8 as Range<Int64> {
      status = round % 2 == 0 ? 200 : 503
      StatusKeysTests.drive(logger, round * 300...round * 300 + 5, bench)
      _ = logger.send(to: nil)
      try bench.loop.advance(by: .seconds(300))
      let values = Self.values(logger)
      for (name, value) in last where name.contains("_total") {
        #expect(values[name, default: -1] >= value, "\(name)")
      }
      last = values
    }
    #expect(last["outrider_epochs_total"] == 48)
    #expect(last[#"outrider_records_total{kind="location"}"#, default: 0] > 10)
    #expect(last[#"outrider_events_total{kind="started"}"#] == 1)
    #expect(last[#"outrider_destination_requests_total{destination="home",code="2xx"}"#, default: 0] > 0)
    #expect(last[#"outrider_destination_requests_total{destination="home",code="5xx"}"#, default: 0] > 0)
    #expect(last[#"outrider_destination_bytes_sent_total{destination="home"}"#, default: 0] > 100)
    #expect(last["outrider_log_commits_total", default: 0] > 3)
    #expect(last["outrider_odometer_meters_total"] != nil && last["outrider_gaps_total"] == 7)
    #expect(last["outrider_start_time_seconds", default: 0] > 1_700_000_000)
    #expect(last["outrider_clock_quality"] == 4)
  }

  @Test func theLongestCommitIsThatSinceTheLastReading() throws {
    let bench = try HTTPBench.simulated()
    let logger = try StatusKeysTests.logger(bench)
    defer { logger.stop() }
    #expect(try bench.run { logger.supervision.isReady })
    StatusKeysTests.drive(logger, 0...5, bench)
    #expect(try bench.run(for: .seconds(5)) { logger.log.recordsWaiting == 0 })
    #expect(logger.counters.log.slowestCommit != nil)
    #expect(logger.counters.log.slowestCommit == nil)
  }

  @Test func aQueueHasItsLengthAndItsOldestRecord() throws {
    let bench = try HTTPBench.simulated()
    let server = try ScriptedServer(bench.loop, [])
    server.answer = { _ in .answer(503) }
    let destination = "destinations=[{ name: \"home\", kind: \"overland\", url: \"\(server.url())\" }]"
    let logger = try StatusKeysTests.logger(bench, [destination, "send_interval=1s"])
    defer { logger.stop() }
    #expect(try bench.run { logger.supervision.isReady })
    StatusKeysTests.drive(logger, 0...9, bench)
    #expect(try bench.run(for: .seconds(5)) { logger.log.recordsWaiting == 0 })
    // The first reading has the queues counted.
    _ = logger.counters
    #expect(try bench.run(for: .seconds(60)) { logger.counters.destinations["home"]?.queued ?? 0 >= 10 })
    let home = try #require(logger.counters.destinations["home"])
    let oldest = try #require(home.oldestQueued)
    let first = try #require(logger.status.time.flatMap { Timestamp(iso8601: $0) })
    #expect(oldest <= first && first - oldest < .seconds(180), "\(oldest.iso8601())")
  }

  struct Request: Sendable, CustomTestStringConvertible {
    let promise: String
    var guest = "off"
    var headers: [String] = []
    let status: Int
    var type = "text/plain; version=0.0.4; charset=utf-8"
    var testDescription: String { promise }
  }

  static let requests = [
    Request(promise: "the operator", headers: ["Authorization: Bearer sesame street 123"], status: 200),
    Request(promise: "a stranger", status: 401, type: "application/problem+json"),
    Request(promise: "a guest", guest: "status", status: 200),
    Request(
      promise: "a guest of OpenMetrics", guest: "positions",
      headers: ["Accept: application/openmetrics-text;version=1.0.0;q=0.8,text/plain;q=0.5"], status: 200,
      type: "application/openmetrics-text; version=1.0.0; charset=utf-8"),
    Request(
      promise: "a wrong token", guest: "status", headers: ["Authorization: Bearer x"], status: 401,
      type: "application/problem+json"),
  ]

  @Test(arguments: requests) func theRouteAnswers(_ request: Request) throws {
    let running = try LocalAPITests.logger(
      extra: ["api.token=sesame street 123", "api.guest=\(request.guest)"])
    let logger = running.logger
    defer { logger.stop() }
    #expect(try running.bench.run { logger.supervision.isReady })
    let answer = try running.bench.ask(running.port, "GET", "/metrics", headers: request.headers)
    #expect(
      answer.status == request.status && answer.headers["content-type"] == request.type, "\(answer.text)")
    #expect(answer.text.contains("outrider_build_info{") == (request.status == 200))
  }
}
