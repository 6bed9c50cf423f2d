import Database
import FleetPolicy
import FleetStore
import Foundation
import HTTPServer
import PostgreSQL
import PostgreSQLSupport
import Quantities
import Settings
import System
import TestSupport
import Testing

@testable import Daemon
@testable import outrider_collector

/// A day of the real logger, delivered to the ingest server on a real PostgreSQL.
@Suite(.enabled(if: PostgresServer.isInstalled, "requires PostgreSQL"))
struct FleetDayTests {
  /// The log of a simulated day: drives, visits, sleeps of the receiver, a failing server.
  static func day(in directory: String) throws {
    let tests = ProcessEnvironment.executable ?? CommandLine.arguments[0]
    let folder = URL(fileURLWithPath: tests).deletingLastPathComponent()
    let process = Process()
    process.executableURL = folder.appendingPathComponent("SimulatedDay")
    process.arguments = [directory]
    try process.run()
    process.waitUntilExit()
    #expect(process.terminationStatus == 0)
  }

  /// A column of a view: its name, and what it holds where the databases differ.
  struct Column {
    enum Kind { case plain, time, flag, json }
    var name: String
    var kind = Kind.plain
  }

  /// The columns of a device's view, without the boot clock.
  static func columns(of view: String, in log: Connection) throws -> [Column] {
    let times = ["time", "arrival_time", "departure_time", "start_time", "end_time", "trip_start_time"]
    return try log.rows("SELECT name FROM pragma_table_info('\(view)') ORDER BY cid").compactMap { row in
      guard let name = row[0].text, !["boot", "moment_ms"].contains(name) else { return nil }
      let kind: Column.Kind =
        times.contains(name)
        ? .time : ["is_manual", "reconstructed"].contains(name) ? .flag : name == "fields" ? .json : .plain
      return Column(name: name, kind: kind)
    }
  }

  /// A value as text: numbers in their shortest form, objects with sorted keys.
  static func text(_ value: String?, _ kind: Column.Kind) -> String {
    guard let value else { return "NULL" }
    if kind == .json {
      let object = try? JSONSerialization.jsonObject(with: Data(value.utf8))
      let sorted = object.flatMap { try? JSONSerialization.data(withJSONObject: $0, options: .sortedKeys) }
      return sorted.map { String(decoding: $0, as: UTF8.self) } ?? "invalid: \(value)"
    }
    guard let number = Double(value), value.first?.isLetter == false else { return value }
    return "\(number)"
  }

  static func deviceRows(_ view: String, _ columns: [Column], _ log: Connection) throws -> [String] {
    let list = columns.map(\.name).joined(separator: ", ")
    return try log.rows("SELECT \(list) FROM \(view) WHERE time IS NOT NULL ORDER BY id").map { row in
      zip(row, columns).map { value, column in
        let text: String? =
          switch value {
          case .null: nil
          case .integer(let number): "\(number)"
          case .real(let number): "\(number)"
          case .text(let text): text
          case .blob(let bytes): "\(bytes)"
          }
        return Self.text(text, column.kind)
      }.joined(separator: " | ")
    }
  }

  static func fleetRows(_ view: String, _ columns: [Column], _ sql: BlockingConnection) throws -> [String] {
    let list = columns.map { column in
      switch column.kind {
      case .time: "(round(extract(epoch FROM \(column.name)) * 1000))::bigint::text"
      case .flag: "(\(column.name))::int::text"
      case .plain, .json: "(\(column.name))::text"
      }
    }
    let result = try #require(
      try sql.query("SELECT \(list.joined(separator: ", ")) FROM fleet.\(view) v ORDER BY v.id"))
    return (0..<result.rowCount).map { row in
      columns.indices.map { Self.text(result.text(row, $0), columns[$0].kind) }.joined(separator: " | ")
    }
  }

  /// A collector on a new database, and a logger with a log of a simulated day.
  private final class Bench {
    let http: HTTPBench
    let sql: BlockingConnection
    let store: FleetStore
    let server: IngestServer

    init() throws {
      http = try HTTPBench()
      try FleetDayTests.day(in: http.directory)
      let postgres = try PostgresServer.common()
      let name = "day_\(UInt32.random(in: 0...UInt32.max))"
      try BlockingConnection(postgres.address).run("CREATE DATABASE \(name)")
      sql = try BlockingConnection(postgres.address(of: name))
      try FleetSchema.migrate(sql)
      var rules = FleetStoreRules(connections: 2)
      rules.retention = Retention(locationDays: 10_000, eventDays: 10_000, reportDays: 10_000)
      store = FleetStore(database: postgres.address(of: name), loop: http.loop, rules: rules)
      server = try IngestServer(
        loop: http.loop, store: store, settings: .init(listen: .tcp(address: "127.0.0.1", port: 0)))
    }

    deinit { store.stop() }

    /// A logger that sends to the collector.
    func logger(token: String, _ more: String = "") throws -> Logger {
      guard case .tcp(_, let port)? = server.address else { throw HTTPBenchError.cannotConnect(errno: 0) }
      let store = store
      let isReady = try http.run { store.isHealthy && store.hasSettings }
      #expect(isReady)
      let sources = ConfigurationSources(
        overrides: [
          "storage.directory=\(http.directory)/log", "storage.allow_volatile=true", "api.enabled=false",
          "send_interval=1s", "storage.commit_interval=1s",
          "destinations=[{ name: \"postgres\", kind: \"overland\", profile: \"outrider\", gzip: true, may_set: true, "
            + "url: \"http://127.0.0.1:\(port)/api/v1/batches\", token: \"\(token)\", check_in: \"5m\"\(more) }]",
        ], fallbacks: Fallbacks(deviceID: "day", apiSocket: "/nowhere"))
      return try Logger(
        loop: http.loop, configuration: try sources.configuration(), sources: sources,
        journal: Journal(threshold: .error, hasPriorities: false) { _ in })
    }

    /// Compares the views of the fleet with those of the device. Returns the number of rows by view.
    func compare() throws -> [String: Int] {
      let log = try Connection(path: "\(http.directory)/log/outrider.db", access: .readOnly)
      var counts: [String: Int] = [:]
      for view in ["location", "visit", "trip", "action", "event"] {
        let columns = try FleetDayTests.columns(of: view, in: log)
        var expected = try FleetDayTests.deviceRows(view, columns, log)
        let stored = try FleetDayTests.fleetRows(view, columns, sql)
        // What was written after the last batch is still queued.
        if view == "event" { expected = Array(expected.prefix(stored.count)) }
        counts[view] = stored.count
        #expect(stored.count == expected.count, "\(view)")
        let different = zip(stored, expected).filter { $0 != $1 }
        #expect(
          different.isEmpty,
          """
          \(view): \(different.count) of \(stored.count) differ; \(columns.map(\.name))
          \(different.first.map { "\($0.0)\n\($0.1)" } ?? "")
          """
        )
      }
      print(
        "fleet day: \(counts.sorted { $0.key < $1.key }.map { "\($0.key) \($0.value)" }.joined(separator: ", "))"
      )
      #expect(counts["location"] ?? 0 > 500 && counts["trip"] ?? 0 > 0 && counts["visit"] ?? 0 > 0)
      #expect(counts["event"] ?? 0 > 20)
      return counts
    }
  }

  @Test func theTablesOfTheFleetEqualTheViewsOfTheDevice() throws {
    let bench = try Bench()
    let fleet = FleetOperations(bench.sql)
    let device = try fleet.createDevice("day")
    try fleet.setDesired("main.min_distance", #""12.5m""#, for: .all)
    let logger = try bench.logger(token: device.text)
    logger.start()
    // The settings are a part of the first response, and their event of a later batch.
    let isDelivered = try bench.http.run(for: .seconds(120)) {
      let acknowledged = logger.status.destinations.first?.acknowledged_id ?? 0
      return acknowledged > 900 && logger.status.remote != nil
    }
    #expect(isDelivered, "\(logger.status.destinations)")
    logger.delivery.sendNow()
    try bench.http.run(for: .seconds(3))
    logger.stop()
    bench.store.stop()
    _ = try bench.compare()
    let outcome = try bench.sql.query("SELECT outcome FROM fleet.setting WHERE key = 'main.min_distance'")
    #expect(["sent", "on_trial"].contains(outcome?.text(0, 0) ?? ""), "a day of the past proves no setting")
  }

  /// The operator of the fleet sets a value and takes it back: the box has its own again.
  @Test func aValueThatTheFleetTakesBackIsDroppedByTheDevice() throws {
    let bench = try Bench()
    let fleet = FleetOperations(bench.sql)
    let device = try fleet.createDevice("day")
    try fleet.setDesired("main.min_distance", #""12.5m""#, for: .all)
    let logger = try bench.logger(token: device.text)
    logger.start()
    func outcome() -> String? { logger.status.remote?.keys.first { $0.key == "main.min_distance" }?.outcome }
    #expect(try bench.http.run(for: .seconds(120)) { outcome() == "applied" })
    #expect(try fleet.clearDesired("main.min_distance", for: .all))
    bench.store.refreshSettings()
    #expect(try bench.http.run(for: .seconds(10)) { bench.store.hasSettings })
    logger.delivery.sendNow()
    #expect(try bench.http.run(for: .seconds(120)) { outcome() == "unset" })
    logger.stop()
    bench.store.stop()
  }

  /// An old backup is restored: it knows the device but not its log, or not even the device.
  @Test(arguments: [false, true]) func aDatabaseThatKnowsNothingOfTheLogIsRefilled(isDeviceLost: Bool) throws
  {
    let bench = try Bench()
    let card = try FleetOperations(bench.sql).createToken(.enrol, cohort: "field")
    let logger = try bench.logger(token: card.text, ", enrol: true")
    logger.start()
    func deliver() throws {
      var isDelivered = false
      for _ in 0..<120 where !isDelivered {
        // Back-off is skipped.
        logger.delivery.sendNow()
        try bench.http.run(for: .seconds(1))
        let numbers = try bench.sql.query(
          """
          SELECT upper(records) FROM outrider.device_log
          WHERE records = int8multirange(int8range(1, upper(records)))
          """)
        isDelivered = numbers?.integer(0, 0) ?? 0 > 900
      }
      #expect(isDelivered, "\(logger.status.destinations)")
    }
    try deliver()
    let before = try bench.sql.query("SELECT count(*) FROM outrider.location")?.integer(0, 0)
    try bench.sql.run(
      """
      TRUNCATE outrider.location, outrider.event, outrider.visit, outrider.trip, outrider.action, outrider.report;
      DELETE FROM outrider.device_log; DELETE FROM outrider.device_state;
      \(isDeviceLost ? "DELETE FROM outrider.token WHERE role = 'device'; DELETE FROM outrider.device;" : "")
      SELECT pg_terminate_backend(pid) FROM pg_stat_activity WHERE datname = current_database() AND pid <> pg_backend_pid();
      """)
    #expect(try bench.http.run { bench.store.isHealthy })
    try deliver()
    logger.stop()
    bench.store.stop()
    #expect(try bench.compare()["location"] ?? 0 >= before ?? .max)
    #expect(try bench.sql.query("SELECT count(*) FROM outrider.device_log")?.integer(0, 0) == 1)
    #expect(try bench.sql.query("SELECT lower(records) FROM outrider.device_log")?.integer(0, 0) == 1)
  }
}
