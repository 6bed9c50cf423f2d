import FleetStore
import Foundation
import HTTPServer
import PostgreSQL
import PostgreSQLSupport
import Quantities
import Records
import Settings
import Store
import TestSupport
import Testing

@testable import Daemon
@testable import outrider_collector

/// A question of an operator to the real logger, by the ingest server on a real PostgreSQL.
@Suite(.enabled(if: PostgresServer.isInstalled, "requires PostgreSQL"))
struct FleetQuestionTests {
  /// The last three hours: a location every 30 s, a sleep of the receiver of 40 min, and a gap of 10 min without a reason.
  static func records(until now: Timestamp) throws -> [LogRecord] {
    var records: [LogRecord] = []
    func add(_ secondsAgo: Int64, _ body: LogRecord.Body) {
      records.append(
        LogRecord(moment: .zero, time: now + .seconds(-secondsAgo), timeQuality: .receiver, body: body))
    }
    for secondsAgo in stride(from: Int64(10_800), through: 30, by: -30) {
      if secondsAgo == 7170 { add(secondsAgo + 10, .event(EventRecord(.receiverAsleep))) }
      guard !(4800..<7200).contains(secondsAgo), !(1800..<2400).contains(secondsAgo) else { continue }
      let place = try #require(Coordinate(latitude: 52.5, longitude: 13 + Double(secondsAgo) * 1e-5))
      add(secondsAgo, .location(LocationRecord(coordinate: place, deviceID: "van")))
    }
    return records
  }

  @Test func theDeviceAnswersWithTheGapsThatTheServerSees() throws {
    let bench = try HTTPBench()
    let postgres = try PostgresServer.common()
    let name = "question_\(UInt32.random(in: 0...UInt32.max))"
    try BlockingConnection(postgres.address).run("CREATE DATABASE \(name)")
    let sql = try BlockingConnection(postgres.address(of: name))
    try FleetSchema.migrate(sql)
    let fleet = FleetOperations(sql)
    let device = try fleet.createDevice("van")
    let number = try fleet.ask("van", "why")
    #expect(number == 1)

    let now = bench.loop.clock.timestamp()
    let writer = LogWriter(
      directory: bench.directory + "/log", allowVolatile: true,
      options: LogOptions(bootID: "before", clock: { .zero }))
    let records = try Self.records(until: now)
    _ = writer.handle(.append(records, urgent: false))
    _ = writer.handle(.close)
    let store = FleetStore(
      database: postgres.address(of: name), loop: bench.loop, rules: FleetStoreRules(connections: 2))
    let server = try IngestServer(
      loop: bench.loop, store: store, settings: .init(listen: .tcp(address: "127.0.0.1", port: 0)))
    guard case .tcp(_, let port)? = server.address else { throw HTTPBenchError.cannotConnect(errno: 0) }
    #expect(try bench.run { store.isHealthy && store.hasSettings })
    let configuration = try Configuration.read(
      board: nil, file: nil,
      overrides: [
        "storage.directory=\(bench.directory)/log", "storage.allow_volatile=true", "api.enabled=false",
        "send_interval=1s", "storage.commit_interval=1s", "main.batch_size=50",
        "destinations=[{ name: \"fleet\", kind: \"overland\", profile: \"outrider\", gzip: true, check_in: \"5m\", "
          + "url: \"http://127.0.0.1:\(port)/api/v1/batches\", token: \"\(device.text)\", may_set: true }]",
      ], fallbacks: Fallbacks(deviceID: "van", apiSocket: "/nowhere"))
    let logger = try Logger(
      loop: bench.loop, configuration: configuration,
      journal: Journal(threshold: .error, hasPriorities: false) { _ in })
    logger.start()
    var isAnswered = false
    for _ in 0..<60 where !isAnswered {
      // A request without records follows 10 s after the last contact.
      logger.delivery.sendNow()
      try bench.run(for: .milliseconds(500))
      // All locations have arrived, too: all records but the event.
      isAnswered =
        try sql.query(
          "SELECT 1 FROM fleet.question WHERE answered IS NOT NULL "
            + "AND (SELECT count(*) FROM fleet.location) = \(records.count - 1)")?.rowCount == 1
    }
    #expect(isAnswered)
    logger.stop()
    store.stop()

    var why = ""
    _ = try FleetCommand.run(
      ["why", "van", "--json", "--database", postgres.address(of: name)], environment: { _ in nil },
      print: { why = $0 })
    func gaps(_ list: [Any], _ reason: String) -> [String] {
      list.compactMap { $0 as? [String: Any] }.map {
        "\($0["from"] ?? "") \($0["to"] ?? "-"): \($0[reason] ?? "")"
      }
    }
    let seen = try why.split(separator: "\n").map { try JSONSerialization.jsonObject(with: Data($0.utf8)) }
    let row = try sql.query("SELECT what, outcome, (answer -> 'gaps')::text FROM fleet.question")
    #expect(row?.text(0, 0) == "why" && row?.text(0, 1) == "done")
    let answer = try JSONSerialization.jsonObject(with: Data((row?.text(0, 2) ?? "").utf8)) as? [Any]
    let told = gaps(answer ?? [], "reason")
    #expect(told == gaps(seen, "sentence"))
    #expect(told.count == 2 && told.first?.contains("receiver") == true, "\(told)")
  }
}
