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
    let first = try operations.createDevice("van", cohort: "field")
    let second = try operations.createDevice("van")
    #expect(first.name == "van" && second.name == "van-2")
    guard case .device? = try bench.access(second.token.text) else {
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
}
