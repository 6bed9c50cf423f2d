import FleetPolicy
import FleetRecords
import FleetStore
import Glibc
import PostgreSQL
import PostgreSQLSupport
import Quantities
import Testing

/// Tokens and enrolment.
@Suite(.enabled(if: PostgresServer.isInstalled, "requires PostgreSQL"), .serialized)
struct DeviceTests {
  static let roles = ["enrol", "read", "operator"]

  @Test func tokensPermitWhatTheirRoleSays() throws {
    let bench = try FleetBench()
    let (access, token) = try bench.addDevice("van-17")
    #expect(try bench.access(token) == access)
    #expect(try bench.access(token) == access)
    for role in Self.roles {
      try bench.sql.query(
        "INSERT INTO outrider.token (hash, role, cohort) VALUES ($1::bytea, $2::text, 'field')",
        [.bytes(TokenSecret.hash(of: role)), .text(role)])
    }
    #expect(try bench.access("enrol") == .enrol(cohort: "field", token: TokenSecret.hash(of: "enrol")))
    #expect(try bench.access("read") == .read)
    #expect(try bench.access("operator") == .operate)
    #expect(try bench.access("no such token") == .unknown)
    #expect(try bench.access("") == .unknown)
    try bench.sql.query(
      "INSERT INTO outrider.token (hash, role, expires) VALUES ($1::bytea, 'read', now() - interval '1 s')",
      [.bytes(TokenSecret.hash(of: "old"))])
    #expect(try bench.access("old") == .unknown)
    let (_, second) = try bench.addDevice("van-18")
    #expect(try bench.number("SELECT fleet.set_enabled('van-18', false)::int") == 1)
    #expect(try bench.access(second) == .disabled)
    let (_, third) = try bench.addDevice("van-19")
    try bench.sql.query(
      "UPDATE outrider.token SET expires = now() WHERE hash = $1::bytea",
      [.bytes(TokenSecret.hash(of: third))])
    #expect(try bench.access(third) == .unknown)
    #expect(
      try bench.rows("SELECT device, detail FROM fleet.fleet_event ORDER BY id") == [
        ["van-18", "it is disabled"], ["van-19", "its token has expired"],
      ])
  }

  @Test func aTokenIsStoredOnlyAsItsHash() throws {
    // FIPS 180-4, the digest of "abc".
    #expect(
      TokenSecret.hash(of: "abc").prefix(4) == [0xba, 0x78, 0x16, 0xbf]
        && TokenSecret.hash(of: "abc").count == 32)
    #expect(TokenSecret.random() != TokenSecret.random())
    #expect(TokenSecret.random().text.utf8.count == 64)
  }

  @Test func enrolmentCreatesTheDeviceAndALostAnswerIsRepeated() throws {
    let bench = try FleetBench()
    let enrol = try bench.addEnrolment("field")
    let first = try bench.receipt(upload(1...10, unique: "hw-1"), enrol)
    #expect(first.saved == 10)
    let lost = try #require(first.token)
    // The answer was lost: the device repeats the batch with the enrolment token.
    let second = try bench.receipt(upload(1...10, unique: "hw-1"), enrol)
    #expect(second.known == 10)
    let token = try #require(second.token)
    #expect(token != lost)
    let access = try #require(try bench.access(token))
    let third = try bench.receipt(upload(11...20, unique: "hw-1"), access)
    #expect(third == Receipt(saved: 10))
    #expect(try bench.rows("SELECT name, cohort FROM outrider.device") == [["van-17", "field"]])
    // Its token was used: a third device token needs an operator.
    guard case .refused(let reason) = try bench.store(upload(1...1, unique: "hw-1"), enrol) else {
      Issue.record("enrolled again")
      return
    }
    #expect(reason.contains("fleet enrol --renew van-17"))
    _ = try bench.number("SELECT fleet.allow_renewal('van-17')::int")
    #expect(try bench.receipt(upload(1...1, unique: "hw-1"), enrol).token != nil)
    #expect(try bench.number("SELECT count(*) FROM outrider.token WHERE used IS NOT NULL") == 0)
    _ = try bench.number("SELECT fleet.set_enabled('van-17', false)::int")
    guard case .refused = try bench.store(upload(1...1, unique: "hw-1"), enrol) else {
      Issue.record("a disabled device is enrolled")
      return
    }
    guard case .refused = try bench.store(upload(1...1), enrol) else {
      Issue.record("a device without unique_id is enrolled")
      return
    }
  }

  @Test func twoCollectorsEnrolADeviceOnce() throws {
    let bench = try FleetBench(stores: 2)
    let enrol = try bench.addEnrolment("all")
    var tokens: [String] = []
    var answers = 0
    for round in 0..<10 {
      for store in bench.stores {
        store.store(upload(1...5, device: "box", unique: "hw-\(round)"), access: enrol) {
          outcome in
          answers += 1
          guard case .stored(let receipt) = outcome else {
            Issue.record("\(outcome)")
            return
          }
          if let token = receipt.token { tokens.append(token) }
        }
      }
    }
    try bench.run { answers == 20 }
    #expect(Set(tokens).count == 20)
    #expect(try bench.number("SELECT count(*) FROM outrider.device") == 10)
    #expect(try bench.number("SELECT count(*) FROM outrider.location") == 50)
    for token in tokens {
      guard case .device? = try bench.access(token) else {
        Issue.record("a token that was answered is not known")
        return
      }
    }
  }

  @Test func aLeakedEnrolmentTokenMakesOnlySoManyDevices() throws {
    let bench = try FleetBench(rules: FleetStoreRules(connections: 1, enrolments: 3), stores: 2)
    let enrol = try bench.addEnrolment("field")
    let other = try bench.addEnrolment("field")
    // All collectors together count.
    let uploads = (1...10).map { (upload(1...1, device: "box-\($0)", unique: "hw-\($0)"), enrol) }
    let outcomes = try bench.store(Array(uploads.prefix(5)), in: bench.stores[0])
    let further = try bench.store(Array(uploads.suffix(5)), in: bench.stores[1])
    let delays = (outcomes + further).compactMap { (outcome: UploadOutcome) -> Duration? in
      guard case .limited(let delay) = outcome else { return nil }
      return delay
    }
    #expect(delays.count == 7 && delays.allSatisfy { $0 > .seconds(3500) && $0 <= .seconds(3600) })
    #expect(try bench.number("SELECT count(*) FROM outrider.device") == 3)
    #expect(bench.stores.reduce(0) { $0 + $1.counts.enrolmentsLimited } == 7)
    #expect(bench.stores.reduce(0) { $0 + $1.counts.enrolled } == 3)
    #expect(try bench.number("SELECT count(*) FROM fleet.fleet_event WHERE kind = 'enrolment_limited'") == 1)
    // A device that exists, and another token, are not limited.
    #expect(try bench.receipt(upload(1...1, unique: "hw-1"), enrol).token != nil)
    #expect(try bench.receipt(upload(1...1, unique: "hw-99"), other).token != nil)
    try bench.sql.run("UPDATE outrider.token SET enrolled_from = enrolled_from - interval '1 hour'")
    #expect(try bench.receipt(upload(1...1, unique: "hw-10"), enrol).token != nil)
    // A token that was deleted makes no device, even while it is remembered.
    try bench.sql.run("DELETE FROM outrider.token WHERE role = 'enrol'")
    #expect(try bench.store(upload(1...1, unique: "hw-11"), enrol) == .unavailable)
  }

  @Test func manyDevicesThatComeTogetherAreFoundTogether() throws {
    let bench = try FleetBench()
    try bench.sql.run(
      """
      WITH d AS (INSERT INTO outrider.device (name, unique_id) SELECT 'box-' || n, 'hw-' || n
        FROM generate_series(1, 3000) AS n RETURNING id)
      INSERT INTO outrider.device_log (device, log) SELECT id, '00000000-0000-0001-0000-000000000002' FROM d
      """)
    let first = try #require(try bench.number("SELECT min(id) FROM outrider.device"))
    let log = LogID(high: 1, low: 2)
    func uploads(_ record: Int64) -> [(Upload, Access)] {
      (1...3000).map { number in
        let device = DeviceNumber(Int32(clamping: first + Int64(number) - 1))
        return (upload(record...record, unique: "hw-\(number)", log: log), Access.device(device))
      }
    }
    let start = bench.loop.now
    let outcomes = try bench.store(uploads(1))
    #expect(outcomes.allSatisfy { $0 == .stored(Receipt(saved: 1, have: 1)) })
    #expect(bench.loop.now - start < .seconds(10))
    // New logs, and devices of others, are still told apart.
    let foreign = upload(1...1, unique: "hw-2", log: log)
    let access = Access.device(DeviceNumber(Int32(clamping: first)))
    guard case .refused = try bench.store(foreign, access) else {
      Issue.record("stored with another device's token")
      return
    }
    let newLog = upload(7...7, unique: "hw-1", log: LogID(high: 3, low: 4))
    #expect(try bench.receipt(newLog, access) == Receipt(saved: 1, have: 7))
    #expect(try bench.number("SELECT count(*) FROM outrider.device_log") == 3001)
  }

  /// The first roll-out of a fleet, and the return of devices with new logs.
  @Test func newDevicesAndNewLogsAreMadeTogether() throws {
    var rules = FleetStoreRules(connections: 4, enrolments: 1_000_000)
    rules.intake.slowAfter = .seconds(300)
    let bench = try FleetBench(rules: rules, stores: 2)
    let count = Self.manyDevices
    let enrol = try bench.addEnrolment("field")
    let log = LogID(high: 1, low: 2)
    func store(_ what: String, _ log: LogID, _ access: (Int) -> Access) throws -> [String] {
      var tokens: [String] = []
      var answers = 0
      let start = bench.loop.now
      for number in 0..<count {
        var body = upload(
          1...1, from: noon + .seconds(log == Self.second ? 900 : 0), device: "box-\(number)",
          unique: "hw-\(number)", log: log)
        body.first = 1
        // A balancer gives a repetition to another collector.
        for store in number % 20 == 0 ? bench.stores : [bench.stores[number % 2]] {
          store.store(body, access: access(number)) { outcome in
            answers += 1
            guard case .stored(let receipt) = outcome, receipt.have == 1 else {
              Issue.record("\(outcome)")
              return
            }
            if let token = receipt.token { tokens.append(token) }
          }
        }
      }
      try bench.run(within: .seconds(300)) { answers == count + (count + 19) / 20 }
      print("\(count) \(what): the last answer after \((bench.loop.now - start).wholeMilliseconds) ms")
      return tokens
    }
    #expect(Set(try store("enrolments", log) { _ in enrol }).count == count + (count + 19) / 20)
    #expect(try bench.number("SELECT count(*) FROM outrider.device") == Int64(count))
    #expect(try bench.number("SELECT count(*) FROM outrider.location") == Int64(count))
    #expect(
      try bench.number("SELECT count(*) FROM fleet.fleet_event WHERE kind = 'enrolled'") == Int64(count))
    let rows = try bench.rows("SELECT id::text FROM outrider.device ORDER BY substr(unique_id, 4)::int")
    let numbers = rows.compactMap { $0[0].flatMap { Int32($0) } }
    #expect(try store("new logs", Self.second) { .device(DeviceNumber(numbers[$0])) } == [])
    #expect(try bench.number("SELECT count(*) FROM outrider.device_log") == Int64(2 * count))
    #expect(try bench.number("SELECT count(*) FROM outrider.location") == Int64(2 * count))
    // Devices that an operator made get their identity at the first contact.
    try bench.sql.run("UPDATE outrider.device SET unique_id = NULL; DELETE FROM outrider.device_log")
    try bench.sql.run(
      "SELECT pg_terminate_backend(pid) FROM pg_stat_activity WHERE datname = current_database() AND pid <> pg_backend_pid()"
    )
    try bench.run { bench.notices.filter { $0 == "database: connected" }.count == 2 }
    try bench.run { bench.stores.allSatisfy { $0.isHealthy } }
    #expect(try store("first identities", log) { .device(DeviceNumber(numbers[$0])) } == [])
    #expect(try bench.number("SELECT count(DISTINCT unique_id) FROM outrider.device") == Int64(count))
  }

  private static let second = LogID(high: 3, low: 4)
  /// The number of devices, from the environment for measurements.
  private static var manyDevices: Int {
    getenv("OUTRIDER_MANY_DEVICES").flatMap { Int(String(cString: $0)) } ?? 500
  }

  @Test func twoDevicesWithOneNameAreStoredApartWithAnAlarm() throws {
    let bench = try FleetBench()
    let enrol = try bench.addEnrolment("all")
    for unique in ["hw-1", "hw-2", "hw-3"] {
      #expect(try bench.receipt(upload(1...10, unique: unique), enrol).saved == 10)
    }
    #expect(
      try bench.rows("SELECT name FROM outrider.device ORDER BY id").map { $0[0] } == [
        "van-17", "van-17-2", "van-17-3",
      ])
    #expect(
      try bench.rows("SELECT detail FROM fleet.fleet_event WHERE kind = 'duplicate_name' ORDER BY id").map {
        $0[0]
      } == [
        "another device is called van-17; stored apart as van-17-2",
        "another device is called van-17; stored apart as van-17-3",
      ])
  }

  @Test func aClonedCardWithTheTokenOfAnotherDeviceIsStoredApart() throws {
    let bench = try FleetBench()
    let (access, _) = try bench.addDevice("van-17", cohort: "field")
    #expect(try bench.receipt(upload(1...10, unique: "hw-1"), access).saved == 10)
    for _ in 0..<2 { #expect(try bench.store(upload(1...10, unique: "hw-2"), access) != .unavailable) }
    let counts = """
      SELECT d.name, d.cohort, d.unique_id, count(*)::text FROM outrider.device d JOIN outrider.location l ON l.device = d.id
      GROUP BY d.id ORDER BY d.id
      """
    #expect(
      try bench.rows(counts) == [["van-17", "field", "hw-1", "10"], ["van-17-2", "field", "hw-2", "10"]])
    #expect(try bench.number("SELECT count(*) FROM fleet.fleet_event WHERE kind = 'cloned_device'") == 1)
    // The token of one device with the identity of another one that was enrolled by itself.
    let (_, _) = try bench.addDevice("van-18")
    try bench.sql.run("UPDATE outrider.device SET unique_id = 'hw-3' WHERE name = 'van-18'")
    guard case .refused(let reason) = try bench.store(upload(1...1, unique: "hw-3"), access) else {
      Issue.record("stored with another device's token")
      return
    }
    #expect(reason.contains("van-18"))
  }

  @Test func aDisabledDeviceIsRefusedByWhateverToken() throws {
    let bench = try FleetBench()
    let (access, _) = try bench.addDevice("van-17")
    for unique in ["hw-1", "hw-2"] {
      #expect(try bench.receipt(upload(1...10, unique: unique), access).saved == 10)
    }
    _ = try bench.number("SELECT fleet.set_enabled('van-17-2', false)::int")
    // A collector that has not found the device before.
    bench.open(FleetStoreRules(connections: 1))
    try bench.run { bench.stores[1].isHealthy }
    func outcome(_ unique: String) throws -> UploadOutcome? {
      try bench.store([(upload(11...20, unique: unique), access)], in: bench.stores[1]).first
    }
    #expect(try outcome("hw-2") == .refused(reason: "device van-17-2 is disabled"))
    #expect(try outcome("hw-1") == .stored(Receipt(saved: 10)))
    _ = try bench.number("SELECT fleet.set_enabled('van-17', false)::int")
    #expect(try outcome("hw-3") == .refused(reason: "device van-17 is disabled"))
    #expect(try bench.number("SELECT count(*) FROM outrider.location") == 30)
    _ = try bench.number("SELECT fleet.set_enabled(name, true)::int FROM outrider.device")
    #expect(try outcome("hw-2") == .stored(Receipt(saved: 10)))
  }

  /// Both the device of a token and one that was stored apart, in a collector that remembers them.
  @Test func aRememberedDeviceIsRefusedSoonAfterItIsDisabled() throws {
    let bench = try FleetBench()
    let (access, token) = try bench.addDevice("van-17")
    let (_, other) = try bench.addDevice("van-18")
    for unique in ["hw-1", "hw-2"] {
      #expect(try bench.receipt(upload(1...10, unique: unique), access).saved == 10)
    }
    #expect(try bench.access(token) == access)
    let remembered = try bench.access(other)
    _ = try bench.number("SELECT fleet.set_enabled('van-17-2', false)::int")
    bench.store.refreshSettings()
    try bench.run { bench.store.hasSettings }
    #expect(
      try bench.store(upload(11...20, unique: "hw-2"), access)
        == .refused(reason: "device van-17-2 is disabled"))
    #expect(try bench.store(upload(11...20, unique: "hw-1"), access) == .stored(Receipt(saved: 10)))
    _ = try bench.number("SELECT fleet.set_enabled('van-17', false)::int")
    bench.store.refreshSettings()
    try bench.run { bench.store.hasSettings }
    #expect(try bench.access(token) == .disabled && bench.access(other) == remembered)
    _ = try bench.number("SELECT fleet.set_enabled(name, true)::int FROM outrider.device")
    #expect(try bench.store(upload(11...20, unique: "hw-2"), access) == .stored(Receipt(saved: 10)))
  }

  @Test func aLeakedDeviceTokenMakesOnlyAFewDevices() throws {
    let bench = try FleetBench()
    let (access, _) = try bench.addDevice("van-17")
    let outcomes = try (0...12).map { try bench.store(upload(1...1, unique: "hw-\($0)"), access) }
    #expect(outcomes.prefix(11).allSatisfy { $0 == .stored(Receipt(saved: 1)) })
    for outcome in outcomes.suffix(2) {
      guard case .refused(let reason) = outcome else {
        Issue.record("\(outcome)")
        continue
      }
      #expect(reason.hasPrefix("too many devices use the token of van-17"))
    }
    #expect(try bench.number("SELECT count(*) FROM outrider.device") == 11)
    // Those that exist are not limited, and an hour later there may be more.
    #expect(try bench.receipt(upload(2...2, unique: "hw-5"), access).saved == 1)
    try bench.sql.run("UPDATE outrider.device SET created = created - interval '1 hour'")
    #expect(try bench.receipt(upload(1...1, unique: "hw-12"), access).saved == 1)
  }

  @Test func aDeviceIsEnrolledAgainOnlySoManyTimes() throws {
    let bench = try FleetBench()
    let enrol = try bench.addEnrolment("field")
    let outcomes = try (0..<25).map { _ in try bench.store(upload(1...1, unique: "hw-1"), enrol) }
    let delays = outcomes.compactMap { (outcome: UploadOutcome) -> Duration? in
      guard case .limited(let delay) = outcome else { return nil }
      return delay
    }
    #expect(delays.count == 5)
    #expect(try bench.number("SELECT count(*) FROM outrider.token WHERE role = 'device'") == 20)
    #expect(try bench.receipt(upload(1...1, unique: "hw-2"), enrol).token != nil)
    try bench.sql.run("UPDATE outrider.token SET created = created - interval '1 hour 1 minute'")
    #expect(try bench.receipt(upload(1...1, unique: "hw-1"), enrol).token != nil)
  }

  @Test func aRemovedDeviceLosesItsTokenAndNothingElseFails() throws {
    let bench = try FleetBench()
    let (access, token) = try bench.addDevice("van-17")
    let (other, _) = try bench.addDevice("van-18")
    #expect(try bench.access(token) == access)
    #expect(try bench.receipt(upload(1...10), access).saved == 10)
    try bench.sql.run("DELETE FROM outrider.device WHERE name = 'van-17'")
    let outcomes = try bench.store([(upload(11...20), access), (upload(1...10), other)])
    #expect(outcomes == [.unavailable, .stored(Receipt(saved: 10))])
    #expect(try bench.access(token) == .unknown)
  }

  @Test func theStateFollowsTheNewestRecordAndEveryContact() throws {
    let bench = try FleetBench()
    let (access, _) = try bench.addDevice("van-17")
    let now = bench.loop.clock.timestamp()
    var batch = upload(10...20, from: now + .seconds(-100))
    batch.report = DeviceReport(
      text: #"{"version":"1.4.0"}"#, version: "1.4.0", settingsHash: "sha256:0", queuedRecords: 1200,
      daysLeft: 211.5,
      nextContact: now + .seconds(600))
    #expect(try bench.receipt(batch, access).saved == 11)
    #expect(try bench.receipt(upload(1...5, from: now + .seconds(-100)), access).saved == 5)
    let state = """
      SELECT version, queued_records::text, days_left::text, (longitude_e7 - 133619121)::text,
        (next_contact > now() + interval '5 min')::text FROM outrider.device_state
      """
    #expect(try bench.rows(state) == [["1.4.0", "1200", "211.5", "20", "true"]])
    #expect(try bench.rows("SELECT state FROM fleet.device") == [["ok"]])
    #expect(try bench.number("SELECT count(*) FROM outrider.report") == 1)
    // A device that does not know the date says how long it will be silent.
    batch.report = DeviceReport(text: "{}", nextContactIn: .seconds(7200))
    #expect(try bench.receipt(batch, access).known == 11)
    #expect(
      try bench.number(
        "SELECT round(extract(epoch FROM next_contact - last_seen))::int FROM outrider.device_state") == 7200)
    batch.report = DeviceReport(text: "{}", nextContact: now + .seconds(600), nextContactIn: .seconds(7200))
    #expect(try bench.receipt(batch, access).known == 11)
    #expect(
      try bench.rows("SELECT (next_contact < now() + interval '11 min')::text FROM outrider.device_state")
        == [
          ["true"]
        ])
    // A contact after the announced one without a new report moves it on.
    try bench.sql.run(
      "UPDATE outrider.device_state SET last_seen = now() - interval '2 h', report_time = now() - interval '2 h', "
        + "next_contact = now() - interval '1 h 50 min'")
    #expect(try bench.rows("SELECT state FROM fleet.device") == [["silent"]])
    _ = try bench.receipt(Upload(deviceID: "van-17"), access)
    #expect(try bench.rows("SELECT state FROM fleet.device") == [["ok"]])
    #expect(
      try bench.number(
        "SELECT extract(epoch FROM next_contact - last_seen)::int FROM outrider.device_state") == 600)
  }
}
