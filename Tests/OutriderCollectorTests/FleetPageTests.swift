import FleetPage
import FleetStore
import Foundation
import HTTPServer
import History
import PostgreSQL
import PostgreSQLSupport
import Quantities
import TestSupport
import Testing

@testable import outrider_collector

/// An ingest server with the page of the fleet, on PostgreSQL.
private final class PageBench {
  /// A name that is markup, and one that is a path.
  static let markup = #"<img src=x onerror="alert(1)">"#
  static let path = "../a b/..?c=d&e#f%2F"

  let http: HTTPBench
  let sql: BlockingConnection
  let store: FleetStore
  let page: FleetPage
  let server: IngestServer

  init(hasPage: Bool = true, _ postgres: PostgresServer, _ fill: String = "") throws {
    let name = "page_\(UInt32.random(in: 0...UInt32.max))"
    try BlockingConnection(postgres.address).run("CREATE DATABASE \(name)")
    sql = try BlockingConnection(postgres.address(of: name))
    try FleetSchema.migrate(sql)
    try sql.run(
      """
      INSERT INTO outrider.token (hash, role) VALUES (sha256('reader'), 'read'), (sha256('operator'), 'operator'),
        (sha256('card'), 'enrol');
      INSERT INTO outrider.device (name, cohort) VALUES ('van-1', 'vans');
      INSERT INTO outrider.device (name, cohort, is_enabled) VALUES ('off', 'vans', false);
      INSERT INTO outrider.token (hash, role, device)
        SELECT sha256(('device-' || name)::bytea), 'device', id FROM outrider.device;
      """ + fill)
    http = try HTTPBench()
    try Data("<!DOCTYPE html>the page".utf8).write(to: URL(filePath: "\(http.directory)/index.html"))
    let store = FleetStore(
      database: postgres.address(of: name), loop: http.loop, rules: FleetStoreRules(connections: 1))
    self.store = store
    page = FleetPage(
      database: postgres.address(of: name), loop: http.loop, folder: hasPage ? http.directory : nil,
      statementLimit: .milliseconds(2000), fault: { store.writeFault }
    ) { store.access(forTokenHash: TokenSecret.hash(of: $0), completion: $1) }
    server = try IngestServer(
      loop: http.loop, store: store, settings: .init(listen: .tcp(address: "127.0.0.1", port: 0)), page: page)
    #expect(try http.run { store.isHealthy })
    // The connection of the page may take longer than those of the store.
    var attempts = 0
    while try get("devices").status != 200, attempts < 100 { attempts += 1 }
  }

  deinit {
    page.stop()
    store.stop()
  }

  var port: UInt16 {
    guard case .tcp(_, let port) = server.address else { return 0 }
    return port
  }

  func get(
    _ route: String, _ query: [(String, String)] = [], token: String? = "reader", headers: [String] = []
  ) throws -> HTTPAnswer {
    let allowed = CharacterSet.alphanumerics
    let items = query.map { "\($0.0)=\($0.1.addingPercentEncoding(withAllowedCharacters: allowed) ?? "")" }
    let target = route.hasPrefix("/") ? route : "/api/v1/fleet/\(route)"
    return try http.ask(
      port, "GET", items.isEmpty ? target : "\(target)?\(items.joined(separator: "&"))",
      headers: headers + (token.map { ["Authorization: Bearer \($0)"] } ?? []))
  }

  func post(_ path: String, _ body: String, headers: [String] = []) throws -> HTTPAnswer {
    try http.ask(
      port, "POST", path, headers: headers + ["Content-Type: application/json"], body: Array(body.utf8))
  }

  /// The answer as an object.
  func object(_ route: String, _ query: [(String, String)] = []) throws -> [String: Any] {
    let answer = try get(route, query)
    let value = try JSONSerialization.jsonObject(with: Data(answer.body))
    return try #require(value as? [String: Any], "\(answer.status) \(answer.text.prefix(200))")
  }

  func names(_ query: [(String, String)] = []) throws -> [String] {
    let list = try #require(try object("devices", query)["devices"] as? [[String: Any]])
    return list.compactMap { $0["device"] as? String }
  }
}

@Suite(.enabled(if: PostgresServer.isInstalled, "requires PostgreSQL"), .serialized)
struct FleetPageTests {
  /// Devices of every state, with names that a page or an address could take for something else.
  static let devices = """
    INSERT INTO outrider.device (name, cohort) SELECT 'truck-' || n, 'trucks' FROM generate_series(1, 4) n;
    INSERT INTO outrider.device (name) VALUES ('\(PageBench.markup)'), ('\(PageBench.path)'), ('100%');
    INSERT INTO outrider.device_state (device, last_seen, next_contact, latitude_e7, longitude_e7, battery_percent)
      SELECT id, now() - interval '1 hour', now() + interval '1 hour', 525000000, 134000000, 80
      FROM outrider.device WHERE name NOT IN ('van-1', '100%');
    UPDATE outrider.device_state SET last_seen = now() - interval '3 days', next_contact = now() - interval '2 days',
      battery_percent = 4 WHERE device = (SELECT id FROM outrider.device WHERE name = 'truck-3');
    UPDATE outrider.device_state SET next_contact = now() - interval '1 minute'
      WHERE device = (SELECT id FROM outrider.device WHERE name = 'truck-2');
    UPDATE outrider.device_state SET latitude_e7 = NULL, longitude_e7 = NULL, report = '{"board":"field-unit"}'
      WHERE device = (SELECT id FROM outrider.device WHERE name = '\(PageBench.path)');
    """

  @Test func onlyReadAndOperatorTokensRead() throws {
    let bench = try PageBench(PostgresServer.common())
    let routes: [(String, [(String, String)])] = [
      ("devices", []), ("positions", []), ("device", [("name", "van-1")]), ("track", [("device", "van-1")]),
    ]
    let tokens: [(String?, Int)] = [
      (nil, 401), ("", 401), ("nonsense", 401), ("device-van-1", 403), ("device-off", 403), ("card", 403),
      ("reader", 200), ("operator", 200),
    ]
    for (route, query) in routes {
      for (token, status) in tokens {
        let answer = try bench.get(route, query, token: token)
        #expect(answer.status == status, "\(route) \(token ?? "no token"): \(answer.text)")
        #expect(answer.headers["cache-control"] == "no-store", "\(route)")
      }
      let posted = try bench.post("/api/v1/fleet/\(route)", "{}", headers: ["Authorization: Bearer reader"])
      #expect(posted.status == 405, "\(route)")
    }
    // A token in the address would be in logs and histories.
    #expect(try bench.get("devices", [("token", "reader")], token: nil).status == 401)
    #expect(try bench.get("devices", [("tokens", "1")]).status == 400)
  }

  @Test func theSignInIsACookieForThisPageOnly() throws {
    let bench = try PageBench(PostgresServer.common())
    #expect(try bench.get("/access", token: nil).text.contains(#""role":"none","serves":"fleet""#))
    for (token, status) in [("nonsense", 401), ("device-van-1", 403), ("card", 403), ("a;b", 401)] {
      let answer = try bench.post("/login", #"{"token":"\#(token)"}"#)
      #expect(answer.status == status && answer.headers["set-cookie"] == nil, "\(token): \(answer.text)")
    }
    for body in ["", "{}", "[]", #"{"token":1}"#, String(repeating: " ", count: 5000)] {
      let refused = try bench.post("/login", body)
      #expect(refused.status == 400 || refused.status == 413, "\(body.prefix(20))")
    }
    let right = #"{"token":"reader"}"#
    for header in ["Origin: https://evil.example", "Sec-Fetch-Site: cross-site"] {
      #expect(try bench.post("/login", right, headers: [header]).status == 403, "\(header)")
    }
    let answer = try bench.post("/login", right)
    let cookie = try #require(answer.headers["set-cookie"])
    #expect(answer.status == 204)
    for part in ["outrider_fleet=", "HttpOnly", "SameSite=Strict", "Path=/"] {
      #expect(cookie.contains(part), "\(part)")
    }
    #expect(!cookie.contains("Secure"))
    let secure = try bench.post("/login", right, headers: ["X-Forwarded-Proto: https"])
    #expect(secure.headers["set-cookie"]?.hasSuffix("; Secure") == true)
    let sent = "Cookie: outrider=other; \(cookie.prefix { $0 != ";" })"
    #expect(try bench.get("devices", token: nil, headers: [sent]).status == 200)
    #expect(try bench.get("/access", token: nil, headers: [sent]).text.contains(#""role":"positions""#))
    #expect(try bench.get("devices", token: nil, headers: ["Cookie: outrider_fleet=nonsense"]).status == 401)
    // The cookie is not a token for deliveries.
    let body = #"{"locations":[]}"#
    #expect(try bench.post("/api/v1/batches", body, headers: [sent]).status == 401)
    #expect(try bench.post("/logout", "", headers: [sent]).status == 403)
    let ended = try bench.post("/logout", "", headers: [sent, "Outrider: 1"])
    #expect(ended.status == 204 && ended.headers["set-cookie"]?.contains("Max-Age=0") == true)
  }

  @Test func theFilesNeedNoTokenAndLoadNothingFromElsewhere() throws {
    let bench = try PageBench(PostgresServer.common())
    let answer = try bench.get("/", token: nil)
    #expect(answer.status == 200 && answer.text.contains("the page"))
    let policy = answer.headers["content-security-policy"] ?? ""
    #expect(policy.hasPrefix("default-src 'none'") && policy.contains("connect-src 'self'"))
    for path in ["/page/absent.js", "/page/../index.html", "/page/%2e%2e/%2e%2e/etc/passwd", "/etc/passwd"] {
      #expect(try bench.get(path, token: nil).status != 200, "\(path)")
    }
    // Devices may send to any path, also to those of the page.
    let body = #"{"locations":[]}"#
    for path in ["/", "/access", "/page/index.html"] {
      let delivered = try bench.post(path, body, headers: ["Authorization: Bearer device-van-1"])
      #expect(delivered.status == 200, "\(path): \(delivered.text)")
    }
  }

  @Test func withoutThePageOnlyTheAPIIsLeft() throws {
    let bench = try PageBench(hasPage: false, PostgresServer.common())
    for path in ["/", "/access", "/page/index.html", "/leaflet/leaflet.css"] {
      #expect(try bench.get(path, token: nil).status == 404, "\(path)")
    }
    #expect(try bench.get("devices").status == 200)
    #expect(try bench.get("devices", token: nil).status == 401)
  }

  @Test func theListHasSilentDevicesFirst() throws {
    let bench = try PageBench(PostgresServer.common(), Self.devices)
    #expect(
      try bench.names() == [
        "truck-3", "truck-2", PageBench.path, PageBench.markup, "truck-1", "truck-4", "100%", "van-1", "off",
      ])
    let answer = try bench.object("devices", [("state", "silent")])
    let silent = try #require((answer["devices"] as? [[String: Any]])?.first)
    #expect(silent["reason"] as? String == "battery critical")
    #expect(
      answer["states"] as? [String: Int] == ["silent": 1, "due": 1, "ok": 4, "never": 2, "disabled": 1])
    #expect(answer["cohorts"] as? [String] == ["all", "trucks", "vans"])
    // An absent key is unknown.
    #expect(silent["version"] == nil && silent["latitude"] as? Double == 52.5)
  }

  @Test func filtersTakeTextsLiterally() throws {
    let bench = try PageBench(PostgresServer.common(), Self.devices)
    let all = try bench.names()
    let cases: [([(String, String)], [String])] = [
      ([("q", "TRUCK"), ("state", "ok")], ["truck-1", "truck-4"]), ([("q", "%")], [PageBench.path, "100%"]),
      ([("q", "_")], []), ([("q", "'; DROP SCHEMA fleet; --")], []), ([("q", "<IMG")], [PageBench.markup]),
      ([("cohort", "vans")], ["van-1", "off"]), ([("cohort", "van")], []), ([("q", "")], all),
      ([("limit", "2"), ("offset", "1")], ["truck-2", PageBench.path]), ([("offset", "100")], []),
    ]
    for (query, expected) in cases { #expect(try bench.names(query) == expected, "\(query)") }
    for (name, value) in [
      ("state", "lost"), ("limit", "0"), ("limit", "201"), ("limit", "x"), ("offset", "-1"), ("q", "\0"),
      ("q", String(repeating: "a", count: 1001)),
    ] {
      #expect(try bench.get("devices", [(name, value)]).status == 400, "\(name)=\(value.prefix(9))")
    }
  }

  @Test func positionsAreColumnsOfEqualLength() throws {
    let bench = try PageBench(PostgresServer.common(), Self.devices)
    let answer = try bench.object("positions")
    #expect(
      answer["device"] as? [String] == ["truck-3", "truck-2", PageBench.markup, "truck-1", "truck-4", "off"])
    #expect(answer["lat"] as? [Int] == Array(repeating: 525_000_000, count: 6))
    #expect(answer["lon"] as? [Int] == Array(repeating: 134_000_000, count: 6))
    #expect(answer["state"] as? [Int] == [0, 1, 2, 2, 2, 4] && answer["total"] as? Int == 6)
    #expect(try bench.object("positions", [("q", "nothing")])["device"] as? [String] == [])
  }

  @Test func aDeviceIsFoundByAnyName() throws {
    let bench = try PageBench(PostgresServer.common(), Self.devices)
    let odd = try bench.object("device", [("name", PageBench.path)])
    #expect(odd["device"] as? String == PageBench.path && odd["latitude"] == nil)
    #expect((odd["report"] as? [String: Any])?["board"] as? String == "field-unit")
    #expect(odd["days"] as? [Int] == [] && odd["events"] as? [Int] == [])
    #expect(try bench.object("device", [("name", PageBench.markup)])["device"] as? String == PageBench.markup)
    #expect(try bench.object("device", [("name", "van-1")])["state"] as? String == "never")
    #expect(try bench.get("device", [("name", "nobody")]).status == 404)
    #expect(try bench.get("device").status == 400)
    #expect(try bench.get("track", [("device", "nobody")]).status == 404)
    #expect(try bench.get("track", [("device", PageBench.path)]).status == 200)
  }

  @Test func anEmptyFleetHasEmptyAnswers() throws {
    let bench = try PageBench(PostgresServer.common())
    try bench.sql.run("DELETE FROM outrider.device")
    let answer = try bench.object("devices")
    #expect(answer["devices"] as? [Int] == [] && answer["total"] as? Int == 0)
    #expect(answer["states"] as? [String: Int] == [:])
    #expect(try bench.object("positions")["total"] as? Int == 0)
  }

  // MARK: The track

  /// 12,000 locations at 1 Hz with a pause of ten minutes after the first 6000, and an event that explains it, on 1 March.
  private static let track = """
    SELECT outrider.make_partition('location', '2026-03-01', 1), outrider.make_partition('event', '2026-03-01', 1);
    INSERT INTO outrider.location (time, record, device, latitude_e7, longitude_e7, speed_mmps, received_s, motion, reasons)
      SELECT timestamptz '2026-03-01 06:00Z' + make_interval(secs => n + CASE WHEN n > 6000 THEN 600 ELSE 0 END),
        CASE WHEN n > 6000 THEN n + 1 ELSE n END, id, 525000000 + n * 90, 134000000, 12340, 1, 8, 4
      FROM generate_series(1, 12000) n, outrider.device WHERE name = 'van-1';
    INSERT INTO outrider.event (time, record, device, kind, detail, value, received_s)
      SELECT timestamptz '2026-03-01 07:45Z', 6001, id, 'receiver_silent', 'no data for 10 s', 10, 1
      FROM outrider.device WHERE name = 'van-1';
    INSERT INTO outrider.visit (time, record, device, arrival_time, departure_time, latitude_e7, longitude_e7, received_s)
      SELECT timestamptz '2026-03-01 09:30Z', 20002, id, timestamptz '2026-03-01 09:20Z', NULL, 525000000, 134000000, 1
      FROM outrider.device WHERE name = 'van-1';
    INSERT INTO outrider.trip (time, record, device, start_time, end_time, mode, distance_mm, received_s)
      SELECT timestamptz '2026-03-01 09:30Z', 20003, id, timestamptz '2026-03-01 06:00Z', timestamptz '2026-03-01 09:20Z',
        'car', 12345678, 1 FROM outrider.device WHERE name = 'van-1';
    """

  /// The record numbers and times of the chunks of a page.
  private static func points(_ page: [String: Any]) throws -> [(id: Int, time: Int)] {
    var points: [(id: Int, time: Int)] = []
    for chunk in try #require(page["points"] as? [[String: Any]]) {
      let ids = try #require(chunk["id"] as? [Int])
      let times = try #require(chunk["t"] as? [Int])
      var last = (id: 0, time: 0)
      for (id, time) in zip(ids, times) {
        last = (last.id + id, last.time + time)
        points.append(last)
      }
    }
    return points
  }

  /// The sentences of `fleet why`.
  private static func sentences(_ sql: BlockingConnection) throws -> [String] {
    let gaps = try #require(try FleetWhyCommand.gaps(of: "van-1", sql, from: nil, to: nil))
    return gaps.map { GapReport($0, hasPrivacyZones: false).sentence }
  }

  @Test(arguments: [10_000, 5000, 777])
  func thePagesOfATrackHaveEveryRecordOnce(limit: Int) throws {
    let bench = try PageBench(PostgresServer.common(), Self.track)
    let query = [("device", "van-1"), ("day", "2026-03-01"), ("limit", "\(limit)")]
    var found: [Int] = []
    var gaps: [[String: Any]] = []
    var next: String?
    repeat {
      let page = try bench.object("track", query + (next.map { [("after", $0)] } ?? []))
      let points = try Self.points(page)
      #expect(points.count <= limit && !points.isEmpty)
      found += points.map(\.id)
      gaps += try #require(page["gaps"] as? [[String: Any]])
      next = page["next"] as? String
    } while next != nil && found.count < 20_000
    #expect(found == Array(1...6000) + Array(6002...12_001))
    // The last gap is in progress at the end of the records.
    #expect(gaps.count == 1)
    #expect(gaps.first?["reason"] as? String == "receiver_silent")
    let sentence = gaps.first?["sentence"] as? String
    #expect(sentence?.contains("no data for 10 s") == true)
    #expect(try Self.sentences(bench.sql) == [sentence ?? ""])
  }

  @Test func aTrackHasVisitsTripsAndItsPeriod() throws {
    let bench = try PageBench(PostgresServer.common(), Self.track)
    let day = [("device", "van-1"), ("day", "2026-03-01")]
    let page = try bench.object("track", day + [("resolution_m", "5")])
    // A straight line of 1 m a second keeps the ends of each run.
    #expect(try Self.points(page).count < 200)
    let visit = try #require((page["visits"] as? [[String: Any]])?.first)
    #expect(visit["open"] as? Bool == true && visit["to"] is NSNull)
    let trip = try #require((page["trips"] as? [[String: Any]])?.first)
    #expect(trip["mode"] as? String == "car" && trip["distance_m"] as? Int == 12_345)
    let motions = try #require(page["motions"] as? [String])
    let chunk = try #require((page["points"] as? [[String: Any]])?.first)
    let motion = try #require((chunk["mot"] as? [Int])?.first)
    let (speeds, reasons) = (chunk["spd"] as? [Int], chunk["kept"] as? [Int])
    #expect(motions[motion] == "automotive" && speeds?.first == 1234 && reasons?.first == 2)
    let part = try bench.object(
      "track",
      [("device", "van-1"), ("from", "2026-03-01T06:00:10Z"), ("to", "2026-03-01T06:00:20Z")])
    #expect(try Self.points(part).map(\.id) == Array(10...20))
    let other = try bench.object("track", [("device", "van-1"), ("day", "2026-03-02")])
    #expect(try Self.points(other).isEmpty)
    for (name, value) in [
      ("day", "1 March"), ("day", "2026-02-31x"), ("from", "soon"), ("after", "x"), ("after", "1.x"),
      ("after", "99999999999999999999.1"), ("after", "-253402300799999.-9223372036854775808"),
      ("limit", "10001"), ("resolution_m", "-1"),
      ("from", "2026-03-01T06:00:10Z"),
    ] {
      let query = name == "from" && value.hasPrefix("2026") ? day : [("device", "van-1")]
      #expect(try bench.get("track", query + [(name, value)]).status == 400, "\(name)=\(value)")
    }
    // The days of a device are those that the map offers.
    try bench.sql.run(
      """
      INSERT INTO outrider.device_state (device, last_seen, last_time)
        SELECT id, now(), timestamptz '2026-03-01 09:30Z' FROM outrider.device WHERE name = 'van-1'
      """)
    let days = try #require(try bench.object("device", [("name", "van-1")])["days"] as? [[String: Any]])
    #expect(days.count == 1 && days.first?["day"] as? String == "2026-03-01")
  }

  /// In Europe, a day of 23 hours lies among these days. `TZ` is the zone of the host.
  @Test func everyDayHasItsOwnOffsetFromUTC() throws {
    let bench = try PageBench(PostgresServer.common())
    try bench.sql.run(
      """
      SELECT outrider.make_partition('location', '2026-03-01', 31);
      INSERT INTO outrider.location (time, record, device, latitude_e7, longitude_e7, received_s)
        SELECT timestamptz '2026-03-27 12:00Z' + make_interval(days => n), n + 1, id, 525000000, 134000000, 1
        FROM generate_series(0, 3) n, outrider.device WHERE name = 'van-1';
      INSERT INTO outrider.device_state (device, last_seen, last_time)
        SELECT id, now(), timestamptz '2026-03-30 12:00Z' FROM outrider.device WHERE name = 'van-1'
      """)
    let days = try #require(try bench.object("device", [("name", "van-1")])["days"] as? [[String: Any]])
    #expect(days.map { $0["day"] as? String } == ["27", "28", "29", "30"].map { "2026-03-\($0)" })
    for day in days {
      let (from, to) = (try #require(day["from"] as? Double), try #require(day["to"] as? Double))
      let begin = Calendar.current.startOfDay(for: Date(timeIntervalSince1970: from / 1000 + 40_000))
      #expect(begin.timeIntervalSince1970 * 1000 == from)
      let next = Calendar.current.date(byAdding: .day, value: 1, to: begin)
      #expect(next?.timeIntervalSince1970 == to / 1000)
      let name = try #require(day["day"] as? String)
      let track = try bench.object("track", [("device", "van-1"), ("day", name)])
      let formatter = ISO8601DateFormatter()
      #expect((track["from"] as? String).flatMap(formatter.date) == begin)
    }
  }

  // MARK: The database

  @Test func aSlowQueryEndsAndDelaysNoDelivery() throws {
    let bench = try PageBench(
      PostgresServer.common(),
      """
      ALTER TABLE outrider.visit RENAME TO visit_kept;
      CREATE FUNCTION outrider.read_visits() RETURNS SETOF outrider.visit_kept LANGUAGE plpgsql AS
        'BEGIN PERFORM pg_sleep(60); RETURN; END';
      CREATE VIEW outrider.visit AS SELECT * FROM outrider.read_visits();
      """)
    let clients = try (0..<20).map { _ in
      let client = try RawHTTPClient(loop: bench.http.loop, port: bench.port)
      client.send(
        RawHTTPClient.request(
          "GET", "/api/v1/fleet/track?device=van-1", headers: ["Authorization: Bearer reader"]))
      return client
    }
    let body = #"{"locations":[]}"#
    let delivered = try bench.post("/", body, headers: ["Authorization: Bearer device-van-1"])
    #expect(delivered.status == 200)
    #expect(clients.allSatisfy { $0.answers.first?.status != 200 })
    // The queue is bounded: some are turned away at once, the first one after its time.
    #expect(try bench.http.run { clients.contains { $0.answers.first?.text.contains("wait") == true } })
    #expect(
      try bench.http.run { clients.contains { $0.answers.first?.text.contains("took too long") == true } })
    let late = clients.compactMap(\.answers.first)
    #expect(late.allSatisfy { $0.status == 503 && $0.headers["retry-after"] != nil })
  }

  @Test func whatIsReadCannotBeChanged() throws {
    let bench = try PageBench(
      PostgresServer.common(),
      """
      ALTER TABLE outrider.visit RENAME TO visit_kept;
      CREATE FUNCTION outrider.read_visits() RETURNS SETOF outrider.visit_kept LANGUAGE plpgsql AS
        'BEGIN DELETE FROM outrider.device; RETURN; END';
      CREATE VIEW outrider.visit AS SELECT * FROM outrider.read_visits();
      """)
    let answer = try bench.get("track", [("device", "van-1")])
    #expect(answer.status == 503 && answer.text.contains("read-only transaction"))
    #expect(try bench.names() == ["van-1", "off"])
  }

  /// Faults of the database with their repair, and what the page says: about a token that it looks up, and about what it
  /// reads.
  static let faults: [(sql: String, repair: String, ofToken: String, ofRead: String)] = [
    (
      "ALTER DATABASE %s SET default_transaction_read_only = on",
      "SET default_transaction_read_only = off; ALTER DATABASE %s RESET default_transaction_read_only",
      "the database is read-only; connect to the primary server; retry later", ""
    ),
    (
      "ALTER SCHEMA outrider RENAME TO lost", "ALTER SCHEMA lost RENAME TO outrider",
      "the database lacks tables; run outrider-collector fleet init; retry later",
      "the database lacks tables; run outrider-collector fleet init"
    ),
  ]

  @Test func thePageSaysWhatIsWrongWithTheDatabase() throws {
    for test in Self.faults {
      let bench = try PageBench(PostgresServer.common())
      let store = bench.store
      let name = try #require(try bench.sql.query("SELECT current_database()::text")?.text(0, 0))
      func run(_ sql: String) throws {
        try bench.sql.run(sql.replacingOccurrences(of: "%s", with: name))
        // Connections learn of it when they are new.
        try bench.sql.run(
          "SELECT pg_terminate_backend(pid) FROM pg_stat_activity WHERE datname = current_database() "
            + "AND pid <> pg_backend_pid()")
      }
      try run(test.sql)
      #expect(try bench.http.run { store.writeFault != nil && store.writeFault != .unreachable })
      // A token that is not remembered.
      let unknown = try bench.get("devices", token: "device-van-1")
      #expect(unknown.status == 503 && unknown.text.contains(test.ofToken), "\(unknown.text)")
      let access = try bench.get("/access", token: "operator")
      #expect(access.status == 503 && access.text.contains(test.ofToken), "\(access.text)")
      try run(test.repair)
      #expect(try bench.http.run { store.isHealthy && store.writeFault == nil })
      guard !test.ofRead.isEmpty else { continue }
      var attempts = 0
      while try bench.get("devices").status != 200, attempts < 1000 { attempts += 1 }
      try bench.sql.run("ALTER SCHEMA fleet RENAME TO lost")
      let read = try bench.get("devices")
      #expect(read.status == 503 && read.text.contains(test.ofRead), "\(read.text)")
    }
  }

  @Test func withoutTheDatabaseThePageAsksForPatience() throws {
    let postgres = try PostgresServer()
    let bench = try PageBench(postgres)
    try postgres.stop(mode: "immediate")
    let answer = try bench.get("devices")
    #expect(answer.status == 503 && answer.headers["retry-after"] != nil)
    #expect(answer.text.contains("the database is away") || answer.text.contains("ended during the request"))
    #expect(try bench.get("/", token: nil).status == 200)
    try postgres.start()
    let store = bench.store
    #expect(try bench.http.run { store.isHealthy })
    var attempts = 0
    while try bench.get("devices").status != 200, attempts < 1000 { attempts += 1 }
    #expect(attempts < 1000)
  }
}
