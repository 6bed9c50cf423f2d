import FleetRecords
import FleetStore
import Foundation
import HTTPServer
import HostileJSON
import PostgreSQL
import PostgreSQLSupport
import Quantities
import TestSupport
import Testing

@testable import outrider_collector

/// An ingest server on loopback with the store on PostgreSQL.
private final class StoredBench {
  let http: HTTPBench
  let sql: BlockingConnection
  let store: FleetStore
  let server: IngestServer

  init(_ postgres: PostgresServer, keepsBodies: Bool = false, metrics: ListenAddress? = nil) throws {
    let name = "ingest_\(UInt32.random(in: 0...UInt32.max))"
    try BlockingConnection(postgres.address).run("CREATE DATABASE \(name)")
    sql = try BlockingConnection(postgres.address(of: name))
    try FleetSchema.migrate(sql)
    try sql.run(
      """
      INSERT INTO outrider.device (name) VALUES ('van-17'), ('phone');
      INSERT INTO outrider.token (hash, role, device)
        SELECT sha256(name::bytea), 'device', id FROM outrider.device;
      INSERT INTO outrider.token (hash, role, cohort) VALUES (sha256('card'), 'enrol', 'field');
      """)
    http = try HTTPBench()
    store = FleetStore(
      database: postgres.address(of: name), loop: http.loop, rules: FleetStoreRules(connections: 2))
    var settings = IngestServer.Settings(listen: .tcp(address: "127.0.0.1", port: 0))
    settings.rates.requests = 1_000_000
    settings.keepsBodies = keepsBodies
    settings.metricsListen = metrics
    server = try IngestServer(
      loop: http.loop, store: store, settings: settings,
      furtherMetrics: { [store] in IngestMetrics.text(of: store.counts) + (store.summary?.text ?? "") })
    let store = store
    #expect(try http.run { store.isHealthy })
  }

  deinit { store.stop() }

  func ask(
    _ token: String, _ body: [UInt8], _ path: String = "/api/v1/batches", headers: [String] = []
  ) throws -> HTTPAnswer {
    guard case .tcp(_, let port) = server.address else { throw HTTPBenchError.cannotConnect(errno: 0) }
    return try http.ask(
      port, "POST", path, headers: ["Authorization: Bearer \(token)"] + headers, body: body)
  }

  func value(_ query: String) throws -> String? { try sql.query(query)?.text(0, 0) }
}

@Suite(.enabled(if: PostgresServer.isInstalled, "requires PostgreSQL"), .serialized)
struct StoredIngestTests {
  @Test func aBodyIsKeptAsReceived() throws {
    let bench = try StoredBench(PostgresServer.common(), keepsBodies: true)
    let body = Array(Self.phone.utf8)
    #expect(try bench.ask("phone", body).status == 200)
    #expect(try bench.ask("phone", body).status == 200)
    #expect(try bench.value("SELECT count(*)::text FROM fleet.batch WHERE device = 'phone'") == "1")
    let kept = try #require(try bench.sql.query("SELECT body FROM fleet.batch")?.bytes(0, 0))
    #expect(kept == Gzip.pack(body))
    // One that is compressed already is not touched.
    let packed = try #require(Gzip.pack(Array(Self.batch.utf8)))
    #expect(try bench.ask("van-17", packed, headers: ["Content-Encoding: gzip"]).status == 200)
    let other = try bench.sql.query("SELECT body FROM fleet.batch WHERE device = 'van-17'")
    #expect(other?.bytes(0, 0) == packed)
  }

  @Test func prometheusFindsNoFaultInTheMetrics() throws {
    guard FileManager.default.isExecutableFile(atPath: "/usr/bin/promtool") else {
      print("skipped: promtool is missing (package prometheus)")
      return
    }
    let bench = try StoredBench(PostgresServer.common(), metrics: .tcp(address: "127.0.0.1", port: 0))
    #expect(try bench.ask("van-17", Array(Self.batch.utf8)).status == 200)
    let store = bench.store
    #expect(try bench.http.run { store.summary != nil })
    guard case .tcp(_, let port)? = bench.server.metricsAddress else {
      throw HTTPBenchError.cannotConnect(errno: 0)
    }
    let text = try bench.http.ask(port, "GET", "/metrics").text
    #expect(text.contains("outrider_fleet_battery_remaining_seconds{cohort=\"all\",share=\"0.01\"}"))
    let file = "\(bench.http.directory)/metrics"
    try text.write(toFile: file, atomically: true, encoding: .utf8)
    let tool = Process()
    tool.executableURL = URL(fileURLWithPath: "/bin/sh")
    tool.arguments = ["-c", "/usr/bin/promtool check metrics < \(file) 2>&1"]
    let output = Pipe()
    tool.standardOutput = output
    try tool.run()
    let words = String(decoding: output.fileHandleForReading.readDataToEndOfFile(), as: UTF8.self)
    tool.waitUntilExit()
    #expect(words == "" && tool.terminationStatus == 0)
  }

  /// A batch with every kind of record.
  static let batch = """
    {"locations":[{"type":"Feature","geometry":{"type":"Point","coordinates":[13.3619121,52.5418194]},
    "properties":{"timestamp":"2026-11-22T17:04:41.250Z","record":48211,"altitude":39.412,"speed":5.127,
    "course":77.31,"horizontal_accuracy":2.9,"motion":["driving"],"battery_state":"unplugged",
    "battery_level":0.89,"wifi":"B\\u00fcro","device_id":"van-17","trip_id":"2026-11-22T16:00:00.5Z","fix":"3D",
    "satellites":14,"accuracy_source":"receiver","time_quality":"receiver","reasons":["period"],"steps":0,
    "hdop":0.9,"pauses":false}},
    {"type":"Feature","geometry":null,"properties":{"timestamp":"2026-11-22T17:05:00.000Z","record":48212,
    "action":"visit","arrival_date":"2026-11-22T17:00:00.000Z","departure_date":null,"radius":50.5}},
    {"type":"Feature","geometry":{"type":"Point","coordinates":[13.4,52.5]},"properties":{
    "timestamp":"2026-11-22T18:00:00.000Z","record":48213,"type":"trip","mode":"car",
    "start":"2026-11-22T16:00:00.500Z","end":"2026-11-22T18:00:00.000Z","duration":7199.5,
    "distance":1234.567,"manual":false,"ending":"no fix"}},
    {"type":"Feature","properties":{"timestamp":"2026-11-22T18:00:01Z","record":48214,"action":"will_terminate"}}],
    "events":[{"record":48215,"time":"2026-11-22T18:01:02.000Z","kind":"gap","detail":"no sky","value":-900,
    "fields":{"reason":"stationary"}}],"log":"6b1f6a2e-0000-4000-8000-00000000abcd","from":48211,"through":48215,
    "report":{"version":"1.4.0","days_left":211.5,"queued_records":1200,"next_contact":"2026-11-22T18:40:00Z"}}
    """

  static let phone = """
    {"locations":[{"type":"Feature","geometry":{"type":"Point","coordinates":[13.3619121,52.5418194]},
    "properties":{"timestamp":"2026-11-01T10:15:02Z","altitude":39,"speed":13.47,"course":-1,"wifi":"",
    "horizontal_accuracy":4,"motion":["driving"],"device_id":"phone","battery_level":-1,"x":{"y":[1e5,"z"]}}}]}
    """

  @Test func everyKindOfRecordArrivesInItsTable() throws {
    let bench = try StoredBench(PostgresServer.common())
    let body = Array(Self.batch.utf8)
    let first = try bench.ask("van-17", body)
    #expect(first.text == #"{"result":"ok","saved":5,"known":0,"have":48215}"#)
    #expect(try bench.ask("van-17", body).text == #"{"result":"ok","saved":0,"known":5,"have":48215}"#)
    let row = """
      SELECT concat_ws('|', record, latitude_e7, altitude_mm, speed_mmps, course_mdeg, horizontal_accuracy_mm,
        battery_percent, battery_state, motion, fix, satellites, reasons, steps, wifi, extra) FROM outrider.location
      """
    #expect(
      try bench.value(row)
        == #"48211|525418194|39412|5127|77310|2900|89|3|8|2|14|4|0|Büro|{"pauses": false}"#)
    for table in ["visit", "trip", "action", "event"] {
      #expect(try bench.value("SELECT count(*)::text FROM outrider.\(table)") == "1", "\(table)")
    }
    #expect(try bench.value("SELECT fields ->> 'reason' FROM outrider.event") == "stationary")
    #expect(try bench.value("SELECT version FROM outrider.device_state") == "1.4.0")
    #expect(try bench.value("SELECT ending FROM outrider.trip") == "no fix")
  }

  @Test func aQuestionIsAskedUntilItIsAnswered() throws {
    let bench = try StoredBench(PostgresServer.common())
    try bench.sql.run("SELECT fleet.ask('van-17', 'why')")
    bench.store.refreshSettings()
    #expect(try bench.http.run { bench.store.hasSettings })
    let answer = try bench.ask("van-17", Array(Self.batch.utf8)).text
    #expect(answer.hasSuffix(#","have":48215,"ask":{"id":"1","what":"why"}}"#), "\(answer)")
    #expect(try bench.ask("phone", Array(Self.phone.utf8), "/api/input").text.contains("ask") == false)
    let report = #"{"version":"1.4.0","answer":{"id":"1","question":"why","outcome":"done","gaps":[]}}"#
    let body = #"{"locations":[],"log":"6b1f6a2e-0000-4000-8000-00000000abcd","report":\#(report)}"#
    #expect(
      try bench.ask("van-17", Array(body.utf8)).text == #"{"result":"ok","saved":0,"known":0,"have":48215}"#)
    #expect(try bench.value("SELECT outcome || answer::text FROM fleet.question") == #"done{"gaps": []}"#)
  }

  @Test func aPhoneIsStoredOnce() throws {
    let bench = try StoredBench(PostgresServer.common())
    let body = Array(Self.phone.utf8)
    #expect(try bench.ask("phone", body, "/api/input").text == #"{"result":"ok","saved":1,"known":0}"#)
    #expect(try bench.ask("phone", body, "/dump").text == #"{"result":"ok","saved":0,"known":1}"#)
    let message = Array(
      #"{"_type":"location","lat":1,"lon":2,"tst":1795000000,"topic":"owntracks/a/b"}"#.utf8)
    #expect(try bench.ask("phone", message, "/pub").text == "[]")
    #expect(try bench.value("SELECT count(*)::text FROM outrider.location WHERE record < 0") == "2")
  }

  @Test func aNewDeviceReceivesItsToken() throws {
    let bench = try StoredBench(PostgresServer.common())
    let body = Array(
      #"{"locations":[],"log":"6b1f6a2e-0000-4000-8000-00000000abcd","device_id":"new","unique_id":"u-1"}"#
        .utf8)
    let answer = try bench.ask("card", body).text
    let parts = answer.split(separator: "\"")
    let index = try #require(parts.firstIndex(of: "token"))
    let token = String(parts[index + 2])
    #expect(token.count == 64 && answer.contains(#""set":{"token":""#))
    #expect(try bench.ask(token, body).status == 200)
    #expect(try bench.value("SELECT cohort FROM outrider.device WHERE name = 'new'") == "field")
    // Its token was used, so the card's token cannot take its place any more.
    #expect(try bench.ask("card", body).status == 403)
  }

  /// What the reader accepts never fails in the database: only the reader rejects.
  @Test func theReaderGuaranteesWhatTheTablesRequire() throws {
    let bench = try StoredBench(PostgresServer.common())
    let seed = UInt64.random(in: 0 ... .max)
    var random = SplitMix64(seed: seed)
    let golden = [Self.batch, Self.phone].map { Array($0.utf8) }
    var bodies = HostileJSON.documents(
      key: "x",
      before: #"{"locations":[{"geometry":{"type":"Point","coordinates":[1,2]},"properties":{"#
        + #""timestamp":"2026-11-01T10:15:02Z","#, after: "}}]}"
    ).map(\.bytes)
    bodies += HostileJSON.documents(
      key: "version", before: #"{"locations":[],"log":"6b1f6a2e-0000-4000-8000-00000000abcd","report":{"#,
      after: "}}"
    ).map(\.bytes)
    bodies += (0..<600).map { HostileJSON.mutated(golden[$0 % 2], &random) }
    var stored = 0
    for body in bodies {
      let answer = try bench.ask("van-17", body)
      if answer.status == 200 { stored += 1 }
      let isRejectedByReader =
        answer.status == 422
        && (answer.text.contains(" at byte ") || answer.text.contains("expected an object"))
      guard answer.status == 200 || isRejectedByReader else {
        Issue.record("seed \(seed): \(answer.status) \(answer.text) \(String(decoding: body, as: UTF8.self))")
        return
      }
    }
    #expect(stored > 50)
  }

  @Test func withoutItsDatabaseTheServerAsksForPatience() throws {
    let postgres = try PostgresServer()
    let bench = try StoredBench(postgres)
    #expect(try bench.ask("van-17", Array(Self.batch.utf8)).status == 200)
    try postgres.stop(mode: "immediate")
    for body in [Self.batch, Self.phone] {
      let answer = try bench.ask("van-17", Array(body.utf8))
      #expect(answer.status == 503 && (10...120).contains(Int(answer.headers["retry-after"] ?? "") ?? 0))
    }
    try postgres.start()
    let store = bench.store
    #expect(try bench.http.run { store.isHealthy })
    let again = try bench.ask("van-17", Array(Self.batch.utf8))
    #expect(again.text == #"{"result":"ok","saved":0,"known":5,"have":48215}"#)
  }
}
