import FleetPolicy
import FleetRecords
import FleetStore
import PostgreSQL
import PostgreSQLSupport
import Quantities
import Testing

/// The highest number up to which a log is accounted for, from the lowest number that it ever reported.
@Suite(.enabled(if: PostgresServer.isInstalled, "requires PostgreSQL"), .serialized)
struct HaveTests {
  static let log = LogID(high: 0x6b1f_6a2e_1111_4222, low: 0x8333_4444_5555_6666)
  static let other = LogID(high: 7, low: 7)

  @Test func holesEndTheUnbrokenRunUntilTheyAreFilled() throws {
    let bench = try FleetBench()
    let (access, _) = try bench.addDevice("van-17")
    #expect(try bench.receipt(upload(1...10, log: Self.log), access).have == 10)
    #expect(try bench.receipt(upload(21...30, log: Self.log), access).have == 10)
    #expect(try bench.receipt(upload(41...50, log: Self.log), access).have == 10)
    #expect(try bench.receipt(upload(11...12, log: Self.log, range: 11...20), access).have == 30)
    #expect(try bench.receipt(upload(21...30, log: Self.log), access).have == 30)
    #expect(try bench.receipt(upload(31...40, log: Self.log), access).have == 50)
  }

  /// Record 11 is in no body: a server rejected it, and the device says which one did.
  @Test(arguments: [
    (rejecting: "fleet", known: "fleet", fields: #"{"destination":"fleet","record":11}"#, have: 20),
    ("another server", "fleet", #"{"destination":"home","record":11}"#, 10),
    ("unknown names", "", #"{"destination":"fleet","record":"11"}"#, 20),
    ("a number out of range", "fleet", #"{"destination":"fleet","record":99999999999999999999}"#, 10),
    ("no number", "fleet", #"{"destination":"fleet","record":[11]}"#, 10),
    ("no fields", "fleet", "7", 10),
    ("fleet, after hidden numbers", "fleet", #"{"destination":"fleet","record":11,"count":1}"#, 20),
    ("fleet, no count", "fleet", #"{"destination":"fleet","record":11,"count":"many"}"#, 20),
    (
      "fleet, an impossible count", "fleet",
      #"{"destination":"fleet","record":11,"count":999999999999999999}"#, 20
    ),
    ("fleet, a count of zero", "fleet", #"{"destination":"fleet","record":11,"count":0}"#, 20),
    ("fleet, record 0", "fleet", #"{"destination":"fleet","record":0,"count":3}"#, 10),
  ]) func aRecordThatWasSetAsideIsAccountedFor(
    test: (rejecting: String, known: String, fields: String, have: Int64)
  ) throws {
    let bench = try FleetBench()
    let (access, _) = try bench.addDevice("van-17")
    var first = upload(1...10, log: Self.log)
    let name = test.known
    first.report = DeviceReport(text: name.isEmpty ? "{}" : #"{"destination":"\#(name)"}"#)
    #expect(try bench.receipt(first, access).have == 10)
    var second = upload(12...19, log: Self.log, range: 12...20)
    second.events = [
      EventRow(
        id: RowID(time: noon + .seconds(20), record: 20), kind: "record_set_aside", fields: test.fields)
    ]
    for _ in 1...2 { #expect(try bench.receipt(second, access).have == test.have, "\(test.rejecting)") }
  }

  @Test func aDeviceThatEnrolsLateBeginsAtItsFirstNumber() throws {
    let bench = try FleetBench()
    let (access, _) = try bench.addDevice("van-17")
    #expect(try bench.receipt(upload(5001...5010, log: Self.log), access).have == 5010)
    #expect(try bench.receipt(upload(5011...5020, log: Self.log), access).have == 5020)
    // It sends older records on request: the run begins there, and what lies between is missing.
    #expect(try bench.receipt(upload(1...10, log: Self.log), access).have == 10)
    #expect(try bench.receipt(upload(11...11, log: Self.log, range: 11...5000), access).have == 5020)
  }

  /// The batch of the rejected record began with numbers of a privacy zone.
  @Test func hiddenNumbersBeforeARecordThatWasSetAsideAreAccountedFor() throws {
    let bench = try FleetBench()
    let (access, _) = try bench.addDevice("van-17")
    #expect(try bench.receipt(upload(1...10, log: Self.log), access).have == 10)
    var second = upload(16...19, log: Self.log, range: 16...20)
    for (count, have) in [(4, 10), (5, 20)] as [(Int, Int64)] {
      second.events = [
        EventRow(
          id: RowID(time: noon + .seconds(20), record: 20), kind: "record_set_aside",
          fields: #"{"destination":"fleet","record":15,"count":\#(count)}"#)
      ]
      #expect(try bench.receipt(second, access).have == have)
    }
  }

  @Test func aRecordThatWasSetAsideLongAgoIsAccountedFor() throws {
    var rules = FleetStoreRules(connections: 1)
    rules.retention = Retention(locationDays: 30, eventDays: 30, reportDays: 30)
    let bench = try FleetBench(rules: rules)
    let (access, _) = try bench.addDevice("van-17")
    let old = bench.loop.clock.timestamp() + .seconds(-100 * 86_400)
    #expect(try bench.receipt(upload(1...10, from: old, log: Self.log), access).have == 10)
    var second = upload(12...19, from: old, log: Self.log, range: 12...20)
    second.events = [
      EventRow(
        id: RowID(time: old + .seconds(20), record: 20), kind: "record_set_aside",
        fields: #"{"destination":"fleet","record":11}"#)
    ]
    #expect(try bench.receipt(second, access) == Receipt(expired: 9, have: 20))
    #expect(try bench.number("SELECT count(*) FROM outrider.event") == 0)
  }

  /// A log of which the database knows nothing: it was lost, or the device is new, or its queue begins later.
  @Test(
    arguments: [
      (first: 1, range: 5001...5010, have: 0), (4001, 5001...5010, 4000), (5001, 5001...5010, 5010),
      (nil, 5001...5010, 5010), (1, 1...10, 10), (1, nil, 0), (5001, nil, 5000), (nil, nil, nil),
      (0, 1...10, 10),
    ] as [(first: Int64?, range: ClosedRange<Int64>?, have: Int64?)])
  func anUnknownLogIsWantedFromTheFirstRecordThatTheDeviceWouldSend(
    test: (first: Int64?, range: ClosedRange<Int64>?, have: Int64?)
  ) throws {
    let bench = try FleetBench()
    let (access, _) = try bench.addDevice("van-17")
    var body =
      test.range.map { upload($0, log: Self.log) } ?? Upload(deviceID: "van-17", log: Self.log)
    body.first = test.first
    for _ in 1...2 { #expect(try bench.receipt(body, access).have == test.have) }
  }

  @Test func aLostLogIsCompleteOnceTheDeviceHasSentWhatItStillHas() throws {
    let bench = try FleetBench()
    let (access, _) = try bench.addDevice("van-17")
    func have(_ records: ClosedRange<Int64>, _ range: ClosedRange<Int64>, first: Int64 = 1) throws -> Int64? {
      var body = upload(records, log: Self.log, range: range)
      body.first = first
      return try bench.receipt(body, access).have
    }
    #expect(try have(5001...5010, 5001...5010) == 0)
    // The device has deleted the records before 4801, and accounts for them.
    #expect(try have(4801...4900, 1...4900) == 4900)
    #expect(try have(4901...5010, 4901...5010) == 5010)
    // Its operator discards the queue from 5011 to 6000.
    #expect(try have(6001...6010, 6001...6010, first: 6001) == 6010)
    #expect(try bench.number("SELECT count(*) FROM outrider.location") == 220)
    try bench.sql.run("DELETE FROM outrider.device_log")
    _ = try have(6011...6020, 6011...6020, first: 6001)
    #expect(try have(6021...6030, 6021...6030, first: 6001) == 6000)
  }

  @Test func twoLogsAndTwoDevicesAreCountedApart() throws {
    let bench = try FleetBench(
      rules: FleetStoreRules(connections: 1, group: GroupRules(delay: .milliseconds(200))))
    let (first, _) = try bench.addDevice("a")
    let (second, _) = try bench.addDevice("b")
    let outcomes = try bench.store([
      (upload(1...10, log: Self.log), first),
      (upload(1...5, from: noon + .seconds(900), log: Self.other), first),
      (upload(1...7, log: Self.log), second), (upload(11...20, log: Self.log), first),
    ])
    let have = outcomes.map { (outcome: UploadOutcome) -> Int64? in
      guard case .stored(let receipt) = outcome else { return nil }
      return receipt.have
    }
    #expect(have == [20, 5, 7, 20])
  }

  @Test func aHeartbeatLearnsWhatTheDatabaseHas() throws {
    let bench = try FleetBench()
    let (access, _) = try bench.addDevice("van-17")
    var heartbeat = Upload(deviceID: "van-17", log: Self.log)
    #expect(try bench.receipt(heartbeat, access).have == nil)
    #expect(try bench.receipt(upload(1...10, log: Self.log), access).have == 10)
    #expect(try bench.receipt(heartbeat, access).have == 10)
    heartbeat.log = nil
    #expect(try bench.receipt(heartbeat, access).have == nil)
  }

  @Test func aRestoredBackupLowersTheNumber() throws {
    let bench = try FleetBench()
    let (access, _) = try bench.addDevice("van-17")
    #expect(try bench.receipt(upload(1...10, log: Self.log), access).have == 10)
    #expect(try bench.receipt(upload(11...30, log: Self.log), access).have == 30)
    try bench.sql.run(
      "DELETE FROM outrider.location WHERE record > 10; UPDATE outrider.device_log SET records = '{[1,11)}'")
    #expect(try bench.receipt(upload(31...40, log: Self.log), access).have == 10)
    #expect(try bench.receipt(upload(11...30, log: Self.log), access) == Receipt(saved: 20, have: 40))
  }

  @Test func aLogThatWasErasedIsAddedAgain() throws {
    let bench = try FleetBench()
    let (access, _) = try bench.addDevice("van-17")
    #expect(try bench.receipt(upload(1...10, log: Self.log), access).have == 10)
    try bench.sql.run("DELETE FROM outrider.device_log")
    #expect(try bench.receipt(upload(11...20, log: Self.log), access) == Receipt(saved: 10, have: nil))
    #expect(try bench.receipt(upload(21...30, log: Self.log), access).have == 30)
  }
}
