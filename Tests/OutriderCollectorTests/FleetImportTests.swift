import Collector
import Database
import FleetStore
import Foundation
import HTTPServer
import PostgreSQL
import PostgreSQLSupport
import Quantities
import TestSupport
import Testing

@testable import outrider_collector

/// `fleet import` copies what the real household collector has stored.
@Suite(.enabled(if: PostgresServer.isInstalled, "requires PostgreSQL"), .serialized)
struct FleetImportTests {
  /// A household collector on loopback, and an empty fleet.
  final class Bench {
    let http: HTTPBench
    let address: String
    let sql: BlockingConnection
    private var collector: Collector?

    init() throws {
      http = try HTTPBench()
      let server = try PostgresServer.common()
      let name = "import_\(UInt32.random(in: 0...UInt32.max))"
      try BlockingConnection(server.address).run("CREATE DATABASE \(name)")
      address = server.address(of: name)
      sql = try BlockingConnection(address)
      try FleetSchema.migrate(sql)
      collector = try Collector(
        loop: http.loop, listen: .tcp(address: "127.0.0.1", port: 0), directory: http.directory + "/data",
        token: nil, settings: SettingsText([]), rawDays: 0, onNotice: { _ in },
        now: { Timestamp(milliseconds: 1_795_400_000_000) })
    }

    deinit { collector?.stop() }

    func post(_ features: [String]) throws {
      let body = "{\"locations\":[\(features.joined(separator: ","))]}"
      let answer = try http.ask(collector?.port, "POST", "/api/input", headers: [], body: Array(body.utf8))
      #expect(answer.status == 200, "\(answer.text)")
    }

    func post(phone message: String) throws {
      let answer = try http.ask(
        collector?.port, "POST", "/pub?u=me&d=phone", headers: [], body: Array(message.utf8))
      #expect(answer.status == 200, "\(answer.text)")
    }

    var file: String { http.directory + "/data/collector.db" }

    /// Runs an import; returns what it prints, or its failure.
    func load(_ words: String...) throws -> String {
      var output: [String] = []
      do {
        _ = try FleetCommand.run(
          (["import", file, "--database", address] + words)[...], environment: { _ in nil },
          print: { output.append($0) })
      } catch let failure as FleetCommand.Failure { output.append(failure.description) }
      return output.joined(separator: "\n")
    }

    func value(_ query: String) throws -> String? { try sql.query("SELECT (\(query))::text")?.text(0, 0) }
  }

  static func location(_ minute: Int, _ more: String = "") -> String {
    let time = DeviceDay.midnight + .seconds(minute * 60)
    return """
      {"type":"Feature","geometry":{"type":"Point","coordinates":[13.3619121,52.5418194]},"properties":{
      "timestamp":"\(time.iso8601())","altitude":39,"speed":-1,"horizontal_accuracy":4,"motion":["driving"],
      "battery_level":0.5,"device_id":"phone"\(more)}}
      """
  }

  static let others = [
    """
    {"type":"Feature","geometry":{"type":"Point","coordinates":[13.4,52.5]},"properties":{
    "timestamp":"2026-11-22T12:00:00Z","action":"visit","arrival_date":"2026-11-22T11:00:00Z","device_id":"phone"}}
    """,
    """
    {"type":"Feature","geometry":{"type":"Point","coordinates":[13.4,52.5]},"properties":{"type":"trip","mode":"car",
    "timestamp":"2026-11-22T13:00:00Z","start":"2026-11-22T12:00:00Z","end":"2026-11-22T13:00:00Z","duration":3600,
    "distance":1234,"device_id":"phone"}}
    """,
    """
    {"type":"Feature","geometry":null,"properties":{"timestamp":"2026-11-22T14:00:00Z","action":"will_terminate",
    "device_id":"phone"}}
    """,
  ]

  @Test func allRecordsAreCopiedOnce() throws {
    let bench = try Bench()
    try bench.post((0..<1200).map { Self.location($0, $0 == 7 ? #","pauses":{"a":[1,"b"]}"# : "") })
    try bench.post(Self.others)
    try bench.post([Self.location(2000).replacingOccurrences(of: "phone", with: "tablet")])
    let first = try bench.load("--json")
    #expect(
      first == """
        {"location":{"in_file":1201,"stored_now":1201,"stored_before":0,"in_database":1201},\
        "visit":{"in_file":1,"stored_now":1,"stored_before":0,"in_database":1},\
        "trip":{"in_file":1,"stored_now":1,"stored_before":0,"in_database":1},\
        "action":{"in_file":1,"stored_now":1,"stored_before":0,"in_database":1},"rejected":0,"without_device":0}
        """)
    // An interrupted import is repeated, and the household goes on.
    try bench.sql.run("DELETE FROM outrider.location WHERE time > '2026-11-22T15:00:00Z'")
    try bench.post([Self.location(3000)])
    let second = try bench.load()
    #expect(second.contains("location  1202") && second.contains("in the database"), "\(second)")
    #expect(try bench.value("SELECT count(*) FROM fleet.location") == "1202")
    #expect(try bench.value("SELECT count(*) FROM fleet.location WHERE device = 'tablet'") == "1")
    #expect(try bench.load().contains("location  1202         0           1202"))
    // What has no column is kept, -1 is unknown, and the time of the arrival is that of the household.
    #expect(
      try bench.value("SELECT string_agg(extra::text, '') FROM outrider.location")
        == #"{"pauses": {"a": [1, "b"]}}"#)
    #expect(try bench.value("SELECT count(speed_mps) FROM fleet.location") == "0")
    #expect(try bench.value("SELECT max(received) = '2026-11-23T02:13:20Z' FROM fleet.location") == "true")
    #expect(try bench.value("SELECT state FROM fleet.device WHERE device = 'phone'") == "never")
  }

  /// Records of the profile outrider have numbers, and their log is not in the file. Messages of OwnTracks are as they came.
  @Test func recordsOfTheProfileAndMessagesOfPhonesAreCopied() throws {
    let bench = try Bench()
    let numbered = (1...19).map {
      Self.location($0, #","record":\#($0)"#).replacingOccurrences(of: #""speed":-1,"#, with: "")
    }
    try bench.post(numbered)
    try bench.post(
      phone: #"{"_type":"location","lat":"46.51","lon":8.26,"tst":"1795300000","acc":"7.5","vel":""}"#)
    let first = try bench.load("--json")
    #expect(
      first.contains(#""location":{"in_file":20,"stored_now":20,"stored_before":0,"in_database":20}"#)
        && first.contains(#""rejected":0"#), "\(first)")
    #expect(try bench.value("SELECT max(record) FROM outrider.location") == "19")
    #expect(
      try bench.value(
        "SELECT horizontal_accuracy_m || ' ' || latitude FROM fleet.location WHERE device = 'me/phone'")
        == "7.5 46.51")
    #expect(try bench.load("--json").contains(#""location":{"in_file":20,"stored_now":0,"stored_before":20"#))
  }

  @Test func aRecordThatTheDeviceSendsToTheFleetLaterIsKnown() throws {
    let bench = try Bench()
    let features = (0..<3).map { Self.location($0) }
    try bench.post(features)
    _ = try bench.load()
    let device = try #require(try bench.sql.query("SELECT id FROM outrider.device")?.integer(0, 0))
    try bench.sql.run(
      "INSERT INTO outrider.token (hash, role, device) VALUES (sha256('phone'), 'device', \(device))")
    let store = FleetStore(
      database: bench.address, loop: bench.http.loop, rules: FleetStoreRules(connections: 1))
    defer { store.stop() }
    let server = try IngestServer(
      loop: bench.http.loop, store: store, settings: .init(listen: .tcp(address: "127.0.0.1", port: 0)))
    guard case .tcp(_, let port)? = server.address else { throw HTTPBenchError.cannotConnect(errno: 0) }
    #expect(try bench.http.run { store.isHealthy })
    let answer = try bench.http.ask(
      port, "POST", "/api/v1/batches", headers: ["Authorization: Bearer phone"],
      body: Array("{\"locations\":[\(features.joined(separator: ","))]}".utf8))
    #expect(answer.text == #"{"result":"ok","saved":0,"known":3}"#)
  }

  @Test func whatCannotBeCopiedIsReported() throws {
    let bench = try Bench()
    try bench.post([
      Self.location(0), Self.location(1).replacingOccurrences(of: #","device_id":"phone""#, with: ""),
      Self.location(2).replacingOccurrences(of: #""timestamp":"2026"#, with: #""timestamp":"1975"#),
    ])
    let text = try bench.load()
    #expect(text.contains("no device_id: 1;") && text.contains("--device NAME"), "\(text)")
    #expect(text.contains("timestamp"), "\(text)")
    let named = try bench.load("--device", "old phone")
    #expect(named.contains("no table can hold them: 1"), "\(named)")
    #expect(try bench.value("SELECT count(*) FROM fleet.location WHERE device = 'old phone'") == "1")
  }

  @Test func anotherDatabaseIsRefused() throws {
    let bench = try Bench()
    let path = bench.http.directory + "/other.db"
    try Connection(path: path).execute("CREATE TABLE record (id INTEGER)")
    do {
      _ = try FleetCommand.run(
        ["import", path, "--database", bench.address], environment: { _ in nil }, print: { _ in })
      Issue.record("no failure")
    } catch let failure as FleetCommand.Failure {
      #expect(
        failure.description
          == "\(path) has no table \"features\"; expected the collector.db of outrider collect")
    }
  }
}
