import FleetRecords
import FleetStore
import PostgreSQL
import PostgreSQLSupport
import Quantities
import Testing

/// What operators do from the command line.
@Suite(.enabled(if: PostgresServer.isInstalled, "requires PostgreSQL"), .serialized)
struct OperationsTests {
  @Test func tokensAndDevicesAreCreatedAndChanged() throws {
    let bench = try FleetBench()
    let operations = FleetOperations(bench.sql)
    let enrol = try operations.createToken(.enrol, cohort: "field")
    #expect(try bench.access(enrol.text) == .enrol(cohort: "field", token: enrol.hash))
    let expired = try operations.createToken(.operate, expires: Timestamp(milliseconds: 1_700_000_000_000))
    #expect(try bench.access(expired.text) == .unknown)
    _ = try operations.createDevice("van", cohort: "field")
    let second = try operations.createDevice("van-2")
    #expect(throws: PostgresError.self) { try operations.createDevice("van") }
    guard case .device? = try bench.access(second.text) else {
      Issue.record("no access")
      return
    }
    let isRenamed = try operations.rename("van-2", to: "lorry")
    #expect(isRenamed)
    let isMoved = try operations.move("lorry", toCohort: "pilot")
    #expect(isMoved)
    let isDisabled = try operations.setEnabled(false, device: "lorry")
    #expect(isDisabled)
    #expect(
      try bench.rows("SELECT device, cohort, state FROM fleet.device ORDER BY device") == [
        ["lorry", "pilot", "disabled"], ["van", "field", "never"],
      ])
    let isAnyoneRenamed = try operations.rename("nobody", to: "x")
    #expect(!isAnyoneRenamed)
    let isAnyoneMoved = try operations.move("nobody", toCohort: "x")
    #expect(!isAnyoneMoved)
    let isAnyoneEnabled = try operations.setEnabled(true, device: "nobody")
    #expect(!isAnyoneEnabled)
    let isAnyoneAllowed = try operations.allowRenewal(of: "nobody")
    #expect(!isAnyoneAllowed)
    #expect(throws: PostgresError.self) { try operations.rename("van", to: "lorry") }
  }

  @Test func settingsOfADeviceFollowItsName() throws {
    let bench = try FleetBench()
    let operations = FleetOperations(bench.sql)
    _ = try operations.createDevice("van")
    try operations.setDesired("tracking", "true", for: .device("van"), note: "trial")
    try operations.setDesired("tracking", "false", for: .all)
    try operations.setDesired("tracking", "false", for: .cohort("field"))
    #expect(throws: PostgresError.self) {
      try operations.setDesired("tracking", "true", for: .device("nobody"))
    }
    #expect(throws: PostgresError.self) { try operations.setDesired("tracking", "no JSON", for: .all) }
    let isRenamed = try operations.rename("van", to: "lorry")
    #expect(isRenamed)
    #expect(
      try bench.rows("SELECT scope, name, value::text FROM outrider.desired_setting ORDER BY scope") == [
        ["all", "", "false"], ["cohort", "field", "false"], ["device", "lorry", "true"],
      ])
    let isCleared = try operations.clearDesired("tracking", for: .device("lorry"))
    #expect(isCleared)
    let isClearedAgain = try operations.clearDesired("tracking", for: .device("lorry"))
    #expect(!isClearedAgain)
  }

  @Test func erasureRemovesTheRecordsOfAPeriodAndIsLogged() throws {
    let bench = try FleetBench()
    let operations = FleetOperations(bench.sql)
    let (access, _) = try bench.addDevice("van-17")
    let (other, _) = try bench.addDevice("van-18")
    #expect(try bench.receipt(upload(1...100), access).saved == 100)
    #expect(try bench.receipt(upload(1...100), other).saved == 100)
    let rowsOfThePeriod = try operations.erase("van-17", from: noon + .seconds(11), to: noon + .seconds(21))
    #expect(rowsOfThePeriod == 10)
    #expect(try bench.number("SELECT count(*) FROM outrider.location") == 190)
    let rowsOfTheRest = try operations.erase("van-17")
    #expect(rowsOfTheRest == 90)
    let rowsOfNobody = try operations.erase("nobody")
    #expect(rowsOfNobody == nil)
    #expect(try bench.number("SELECT count(latitude_e7) FROM outrider.device_state") == 1)
    #expect(try bench.number("SELECT sum(rows)::int8 FROM outrider.erasure") == 100)
  }

  @Test func whatWasErasedDoesNotComeBack() throws {
    let bench = try FleetBench()
    let operations = FleetOperations(bench.sql)
    let (access, _) = try bench.addDevice("van-17")
    let (other, _) = try bench.addDevice("van-18")
    let log = LogID(high: 1, low: 2)
    // The records of the past: a period ends at the latest when it was erased.
    let past = Timestamp(milliseconds: 1_700_000_000_000)
    #expect(try bench.receipt(upload(1...100, from: past, log: log), access).saved == 100)
    #expect(try bench.receipt(upload(1...100, from: past), other).saved == 100)
    _ = try operations.erase("van-17", from: past + .seconds(11), to: past + .seconds(21))
    _ = try operations.erase("van-17", from: past + .seconds(91))
    #expect(try bench.number("SELECT count(latitude_e7) FROM outrider.device_state") == 1)
    // A repetition, late records of the period, and events of it.
    let repeated = try bench.receipt(upload(1...100, from: past, log: log), access)
    #expect(repeated.saved == 0 && repeated.have == 100)
    #expect(try bench.receipt(upload(101...110, from: past, log: log), access).saved == 0)
    #expect(try bench.number("SELECT count(*) FROM outrider.location") == 180)
    #expect(try bench.number("SELECT count(latitude_e7) FROM outrider.device_state") == 1)
    // What it records afterwards is stored.
    let now = bench.loop.clock.timestamp()
    #expect(try bench.receipt(upload(111...120, from: now + .seconds(60), log: log), access).saved == 10)
    #expect(try bench.number("SELECT count(latitude_e7) FROM outrider.device_state") == 2)
  }

  @Test func erasuresAreAppliedToARestoredBackup() throws {
    let bench = try FleetBench()
    let operations = FleetOperations(bench.sql)
    let past = Timestamp(milliseconds: 1_700_000_000_000)
    let (access, _) = try bench.addDevice("van-17")
    let enrol = try bench.addEnrolment("all")
    #expect(try bench.receipt(upload(1...50, from: past, unique: "hw-17"), access).saved == 50)
    #expect(
      try bench.receipt(upload(1...50, from: past, device: "box", unique: "hw-new"), enrol).saved == 50)
    _ = try operations.erase("van-17", from: past + .seconds(11), to: past + .seconds(21))
    _ = try operations.erase("box")
    let list = try FleetReport.erasures.json(bench.sql)
    // A backup from before: without the erasures and without the new device; the other one had another name.
    let restored = try FleetBench()
    let (again, _) = try restored.addDevice("old-name")
    #expect(try restored.receipt(upload(1...50, from: past, unique: "hw-17"), again).saved == 50)
    let onRestored = FleetOperations(restored.sql)
    let deleted = try onRestored.applyErasures(list)
    #expect(deleted == 10)
    let deletedAgain = try onRestored.applyErasures(list)
    #expect(deletedAgain == 0)
    #expect(try restored.number("SELECT count(*) FROM outrider.erasure") == 2)
    // The devices send all of it again, the new one after its enrolment.
    #expect(try restored.receipt(upload(1...50, from: past, unique: "hw-17"), again).saved == 0)
    let newEnrol = try restored.addEnrolment("all")
    let refilled = upload(1...50, from: past, device: "box", unique: "hw-new")
    #expect(try restored.receipt(refilled, newEnrol).saved == 0)
    #expect(try restored.number("SELECT count(*) FROM outrider.location") == 40)
    let listOfRestored = try FleetReport.erasures.json(restored.sql)
    #expect(listOfRestored == list)
    #expect(throws: PostgresError.self) { try onRestored.applyErasures("no JSON") }
  }

  @Test func recordsWithATimeInTheFutureStayErased() throws {
    let (bench, restored) = (try FleetBench(), try FleetBench())
    let (access, _) = try bench.addDevice("van-17")
    let now = bench.loop.clock.timestamp()
    let (past, future, farAway) = (
      now + .seconds(-1000), now + .seconds(3600), now + .seconds(100 * 365 * 86_400)
    )
    let uploads = [
      upload(1...10, from: past), upload(11...20, from: future), upload(21...30, from: farAway),
    ]
    for body in uploads { #expect(try bench.receipt(body, access).saved == 10) }
    #expect(try bench.number("SELECT count(latitude_e7) FROM outrider.device_state") == 1)
    // The backup has the same.
    let (again, _) = try restored.addDevice("van-17")
    for body in uploads { #expect(try restored.receipt(body, again).saved == 10) }
    let deleted = try FleetOperations(bench.sql).erase("van-17")
    #expect(deleted == 30)
    #expect(try bench.number("SELECT count(latitude_e7) FROM outrider.device_state") == 0)
    for body in uploads { #expect(try bench.receipt(body, access) == Receipt(known: 10)) }
    #expect(try bench.number("SELECT count(latitude_e7) FROM outrider.device_state") == 0)
    // What it records afterwards is stored, whatever its clock shows.
    #expect(try bench.receipt(upload(31...40, from: future), access).saved == 10)
    #expect(try bench.receipt(upload(31...40, from: farAway), access).saved == 10)
    let list = try FleetReport.erasures.json(bench.sql)
    let deletedAgain = try FleetOperations(restored.sql).applyErasures(list)
    #expect(deletedAgain == 30)
    #expect(try restored.number("SELECT count(latitude_e7) FROM outrider.device_state") == 0)
    for body in uploads { #expect(try restored.receipt(body, again).saved == 0) }
    #expect(try restored.receipt(upload(31...40, from: future), again).saved == 10)
  }

  static let impossibleErasures = [
    #"[{"device":"van-17","time":"2099-01-01T00:00:00Z","rows":0,"done_by":"x"}]"#,
    #"[{"device":"van-17","time":"infinity","rows":0,"done_by":"x"}]"#,
    #"[{"device":"van-17","time":"-infinity","rows":0,"done_by":"x"}]"#,
    #"[{"device":"van-17","rows":0,"done_by":"x"}]"#,
    #"[{"device":"van-17","time":"2026-01-01T00:00:00Z","from":"infinity","rows":0,"done_by":"x"}]"#,
    #"[{"device":"van-17","time":"2026-01-01T00:00:00Z","from":"2025-02-01","to":"2025-01-01","rows":0,"done_by":"x"}]"#,
  ]

  @Test func onlyErasuresOfThePastAreApplied() throws {
    let bench = try FleetBench()
    let operations = FleetOperations(bench.sql)
    let (access, _) = try bench.addDevice("van-17")
    for list in Self.impossibleErasures {
      #expect(throws: PostgresError.self) { try operations.applyErasures(list) }
    }
    #expect(throws: PostgresError.self) { try operations.erase("van-17", from: noon + .seconds(1), to: noon) }
    #expect(try bench.number("SELECT count(*) FROM outrider.erasure") == 0)
    #expect(try bench.receipt(upload(1...10), access).saved == 10)
  }

  @Test func anErasureDoesNotWaitForABackupAndNothingEscapesIt() throws {
    let bench = try FleetBench()
    let past = Timestamp(milliseconds: 1_700_000_000_000)
    let (access, _) = try bench.addDevice("van-17")
    #expect(try bench.receipt(upload(1...10, from: past), access).saved == 10)
    // What pg_dump locks.
    let backup = try BlockingConnection(bench.address)
    try backup.run(
      "BEGIN; LOCK TABLE outrider.erasure, outrider.location, outrider.device, outrider.device_state IN ACCESS SHARE MODE"
    )
    try bench.sql.run("SET lock_timeout = '5s'; BEGIN")
    #expect(try bench.number("SELECT fleet.erase('van-17')") == 10)
    // A group that comes during the erasure waits for it, and then leaves out what was erased.
    var outcome: UploadOutcome?
    bench.store.store(upload(1...20, from: past), access: access) { outcome = $0 }
    let monitor = try BlockingConnection(bench.address)
    try bench.run { monitor.hasWaitingGroup }
    try bench.sql.run("COMMIT")
    try bench.run { outcome != nil }
    #expect(outcome == .stored(Receipt(known: 20)))
    // An erasure waits for a group that is being committed.
    try backup.run("COMMIT; BEGIN; SELECT pg_advisory_xact_lock_shared(hashtext('outrider.erasure'))")
    try bench.sql.run("SET lock_timeout = '200ms'")
    #expect(throws: PostgresError.self) { try bench.number("SELECT fleet.erase('van-17')") }
    try backup.run("COMMIT")
  }
}

extension BlockingConnection {
  /// True if a connection of the store waits for an advisory lock.
  fileprivate var hasWaitingGroup: Bool {
    let waiting = try? query(
      """
      SELECT count(*) FROM pg_stat_activity
      WHERE datname = current_database() AND wait_event_type = 'Lock' AND wait_event = 'advisory'
      """)
    return waiting?.integer(0, 0) == 1
  }
}
