import FleetPolicy
import FleetRecords
import FleetStore
import PostgreSQL
import PostgreSQLSupport
import Quantities
import Testing

@Suite(.enabled(if: PostgresServer.isInstalled, "requires PostgreSQL"), .serialized)
struct GroupTests {
  @Test func aBatchIsStoredOnceHoweverOftenItArrives() throws {
    let bench = try FleetBench(stores: 2)
    let (access, _) = try bench.addDevice("van-17")
    #expect(try bench.receipt(upload(1...200), access) == Receipt(saved: 200))
    #expect(try bench.receipt(upload(1...200), access) == Receipt(known: 200))
    var reversed = upload(101...300)
    reversed.locations.reverse()
    #expect(try bench.receipt(reversed, access) == Receipt(saved: 100, known: 100))
    // Two collectors at the same time, in opposite orders.
    let starts: [Int64] = (0..<10).map { 1000 + $0 * 100 }
    let batches = starts.map { (start: Int64) -> Upload in upload(start...start + 199) }
    var saved = 0
    var answers = 0
    for (store, list) in zip(bench.stores, [batches, batches.reversed()]) {
      for batch in list {
        store.store(batch, access: access) { outcome in
          answers += 1
          guard case .stored(let receipt) = outcome else { return }
          #expect(receipt.saved + receipt.known == 200)
          saved += receipt.saved
        }
      }
    }
    try bench.run { answers == 20 }
    #expect(saved == 1100)
    #expect(try bench.number("SELECT count(*) FROM outrider.location") == 1400)
    #expect(bench.notices == [])
  }

  @Test func rowsThatOccurTwiceInAGroupCountOnceAsSaved() throws {
    let bench = try FleetBench(
      rules: FleetStoreRules(connections: 1, group: GroupRules(delay: .milliseconds(200))))
    let (access, _) = try bench.addDevice("van-17")
    let outcomes = try bench.store([
      (upload(1...10), access), (upload(6...15), access), (upload(1...10), access),
    ])
    let expected: [UploadOutcome] = [
      .stored(Receipt(saved: 10)), .stored(Receipt(saved: 5, known: 5)), .stored(Receipt(known: 10)),
    ]
    #expect(outcomes == expected)
    #expect(bench.store.counts.groups == 1)
  }

  @Test func everyValueOfEveryTableReturnsThroughTheViews() throws {
    let bench = try FleetBench()
    let (access, _) = try bench.addDevice("van-17")
    var location = LocationRow(
      id: RowID(time: noon, record: 1),
      place: PlaceColumns(latitudeE7: -900_000_000, longitudeE7: 1_800_000_000))
    location.altitudeMillimetres = -39_412
    location.speedMillimetresPerSecond = 5127
    location.courseMillidegrees = 77_310
    location.horizontalAccuracyMillimetres = 2900
    location.verticalAccuracyMillimetres = 4100
    location.speedAccuracyMillimetresPerSecond = 210
    location.courseAccuracyMillidegrees = 1800
    location.dilutionTenths = 12
    location.fix = .deadReckoning
    location.satellites = 14
    location.accuracySource = .wifiZone
    location.timeQuality = .receiver
    location.motion = [.driving, .stationary]
    location.reasons = 132
    location.steps = 7
    location.trip = noon + .seconds(-60)
    location.device = DeviceStateColumns(batteryState: .unplugged, batteryPercent: 89, wifi: "a\"b,c{}")
    location.extra = #"{"device_id":"other"}"#
    let bare = LocationRow(
      id: RowID(time: noon, record: 2), place: PlaceColumns(latitudeE7: 0, longitudeE7: 0))
    var visit = VisitRow(
      id: RowID(time: noon, record: 3), place: nil, device: DeviceStateColumns(batteryState: .charging))
    visit.arrival = noon + .seconds(-600)
    visit.departure = noon
    visit.horizontalAccuracyMillimetres = 5000
    visit.radiusMillimetres = 80_000
    var trip = TripRow(id: RowID(time: noon, record: 4), isReconstructed: true)
    trip.start = noon + .seconds(-3600)
    trip.end = noon
    trip.mode = "car"
    trip.durationMilliseconds = 3_600_250
    trip.distanceMillimetres = 50_000_000_000
    trip.steps = 3
    trip.startPlace = PlaceColumns(latitudeE7: 10_000_000, longitudeE7: 20_000_000)
    trip.endPlace = PlaceColumns(latitudeE7: 30_000_000, longitudeE7: 40_000_000)
    trip.isManual = true
    trip.ending = "no fix"
    let action = ActionRow(
      id: RowID(time: noon, record: 5), action: "will_terminate",
      place: PlaceColumns(latitudeE7: 10_000_000, longitudeE7: -20_000_000))
    let event = EventRow(
      id: RowID(time: noon, record: 6), kind: "receiver_resting", detail: "the ö detail", value: -900,
      fields: #"{"cause":"stationary"}"#)
    let mixed = Upload(
      deviceID: "van-17", locations: [location, bare], visits: [visit], trips: [trip], actions: [action],
      events: [event])
    #expect(try bench.receipt(mixed, access) == Receipt(saved: 6))
    let texts = { (view: String) throws in
      try bench.rows(
        "SELECT row_to_json(v)::jsonb #- '{received}' #>> '{}' FROM fleet.\(view) AS v ORDER BY id"
      )
      .map { $0[0] ?? "" }
    }
    let locations: [String] = [
      #"""
      {"id": 1, "fix": "dead reckoning", "hdop": 1.2, "time": "2026-11-22T17:04:41.25+00:00", \#
      "wifi": "a\"b,c{}", "steps": 7, "device": "van-17", "motion": "driving;stationary", \#
      "reasons": "period;beginning", "latitude": -90, "device_id": "other", "longitude": 180, \#
      "speed_mps": 5.127, "altitude_m": -39.412, "course_deg": 77.31, "satellites": 14, \#
      "time_quality": "receiver", "battery_state": "unplugged", "accuracy_source": "wifi zone", \#
      "battery_percent": 89, "trip_start_time": "2026-11-22T17:03:41.25+00:00", \#
      "speed_accuracy_mps": 0.21, "course_accuracy_deg": 1.8, "vertical_accuracy_m": 4.1, \#
      "horizontal_accuracy_m": 2.9}
      """#,
      #"""
      {"id": 2, "fix": null, "hdop": null, "time": "2026-11-22T17:04:41.25+00:00", "wifi": "", \#
      "steps": null, "device": "van-17", "motion": "", "reasons": "", "latitude": 0, \#
      "device_id": "van-17", "longitude": 0, "speed_mps": null, "altitude_m": null, \#
      "course_deg": null, "satellites": null, "time_quality": null, "battery_state": null, \#
      "accuracy_source": null, "battery_percent": null, "trip_start_time": null, \#
      "speed_accuracy_mps": null, "course_accuracy_deg": null, "vertical_accuracy_m": null, \#
      "horizontal_accuracy_m": null}
      """#,
    ]
    #expect(try texts("location") == locations)
    let visits: [String] = [
      #"""
      {"id": 3, "time": "2026-11-22T17:04:41.25+00:00", "wifi": "", "device": "van-17", \#
      "latitude": null, "radius_m": 80, "device_id": "van-17", "longitude": null, \#
      "arrival_time": "2026-11-22T16:54:41.25+00:00", "battery_state": "charging", \#
      "departure_time": "2026-11-22T17:04:41.25+00:00", "battery_percent": null, \#
      "horizontal_accuracy_m": 5}
      """#
    ]
    #expect(try texts("visit") == visits)
    let trips: [String] = [
      #"""
      {"id": 4, "mode": "car", "time": "2026-11-22T17:04:41.25+00:00", "wifi": "", "steps": 3, \#
      "device": "van-17", "ending": "no fix", "end_time": "2026-11-22T17:04:41.25+00:00", \#
      "device_id": "van-17", "is_manual": true, "distance_m": 50000000, "duration_s": 3600.25, \#
      "start_time": "2026-11-22T16:04:41.25+00:00", "end_latitude": 3, "battery_state": null, \#
      "end_longitude": 4, "reconstructed": true, "start_latitude": 1, "battery_percent": null, \#
      "start_longitude": 2}
      """#
    ]
    #expect(try texts("trip") == trips)
    let actions: [String] = [
      #"""
      {"id": 5, "time": "2026-11-22T17:04:41.25+00:00", "wifi": "", "action": "will_terminate", \#
      "device": "van-17", "latitude": 1, "device_id": "van-17", "longitude": -2, \#
      "battery_state": null, "battery_percent": null}
      """#
    ]
    #expect(try texts("action") == actions)
    let events: [String] = [
      #"""
      {"id": 6, "kind": "receiver_resting", "time": "2026-11-22T17:04:41.25+00:00", "value": -900, \#
      "detail": "the ö detail", "device": "van-17", "fields": {"cause": "stationary"}}
      """#
    ]
    #expect(try texts("event") == events)
  }

  @Test func aFaultyUploadIsRejectedAloneAndTheRestOfItsGroupIsStored() throws {
    let bench = try FleetBench()
    let (access, _) = try bench.addDevice("van-17")
    var faulty = upload(11...20)
    faulty.locations[3].extra = #"{"a": "\u0000"}"#
    var single = upload(21...21)
    single.locations[0].extra = "no JSON"
    let outcomes = try bench.store([
      (upload(1...10), access), (faulty, access), (single, access), (upload(22...30), access),
    ])
    #expect(outcomes[0] == .stored(Receipt(saved: 10)))
    #expect(outcomes[3] == .stored(Receipt(saved: 9)))
    guard case .rejected(let reason, nil) = outcomes[1], case .rejected(_, 21) = outcomes[2] else {
      Issue.record("\(outcomes)")
      return
    }
    #expect(reason.contains("Unicode"))
    #expect(try bench.number("SELECT count(*) FROM outrider.location") == 19)
  }

  /// A millisecond before and at the start of a day; usual days have a partition each, others share that of a month.
  static let midnights = [
    "2026-11-23T00:00:00Z", "2027-01-01T00:00:00Z", "2028-03-01T00:00:00Z", "2030-03-31T00:00:00Z",
    "1981-01-01T00:00:00Z", "2100-01-01T00:00:00Z",
  ]

  @Test func partitionsAreMadeOnDemandWithTheirBoundsInUTC() throws {
    let bench = try FleetBench(stores: 2)
    let (access, _) = try bench.addDevice("van-17")
    let today = Timestamp(bench.loop.clock.timestamp().date)
    for midnight in try Self.midnights.map({ try #require(Timestamp(iso8601: $0)) }) + [today] {
      try bench.sql.run("DELETE FROM outrider.location; DELETE FROM outrider.event")
      var batch = upload(1...1, from: midnight + .milliseconds(-1001))
      batch.locations += upload(2...2, from: midnight + .seconds(-2)).locations
      batch.events = [EventRow(id: RowID(time: midnight, record: 9), kind: "started")]
      #expect(try bench.store([(batch, access)], in: bench.stores[1]) == [.stored(Receipt(saved: 3))])
      let tables = try bench.number("SELECT count(DISTINCT tableoid) FROM outrider.location")
      let isMonthsEnd = midnight.date.day == 1
      if isMonthsEnd || midnight == today { #expect(tables == 2, "\(midnight.iso8601())") }
      #expect(
        try bench.number(
          """
          SELECT count(*) FROM outrider.location l JOIN outrider.partition p ON p.name = l.tableoid::regclass::name::text
            OR 'outrider.' || p.name = l.tableoid::regclass::text
          WHERE l.time >= p.lower AND l.time < p.upper AND p.lower = date_trunc('day', p.lower, 'UTC')
          """) == 2)
    }
    #expect(try bench.store([(upload(1...50), access)], in: bench.store) == [.stored(Receipt(saved: 50))])
  }

  @Test func daysAnywhereMakeAFewHundredPartitions() throws {
    let bench = try FleetBench()
    let (access, _) = try bench.addDevice("van-17")
    let (other, _) = try bench.addDevice("van-18")
    #expect(try bench.receipt(upload(1...1, from: bench.loop.clock.timestamp()), other).saved == 1)
    let start = try #require(Timestamp(iso8601: "1980-01-01T00:00:00Z"))
    var batch = Upload(deviceID: "van-17")
    for day in 0..<40_000 {
      batch.locations += upload(1...1, from: start + .seconds(day * 86_400)).locations
    }
    var outcomes: [UploadOutcome] = []
    bench.store.store(batch, access: access) { outcomes.append($0) }
    // What needs no new partition does not wait for them.
    let now = bench.loop.clock.timestamp()
    #expect(try bench.receipt(upload(2...2, from: now), other).saved == 1)
    #expect(outcomes.isEmpty)
    try bench.run(within: .seconds(120)) { !outcomes.isEmpty }
    // On a slow machine, the device repeats the batch.
    while outcomes.last == .unavailable, outcomes.count < 20 {
      let count = outcomes.count
      bench.store.store(batch, access: access) { outcomes.append($0) }
      try bench.run(within: .seconds(120)) { outcomes.count > count }
    }
    guard case .stored(let receipt)? = outcomes.last, receipt.saved + receipt.known == 40_000 else {
      Issue.record("\(outcomes)")
      return
    }
    #expect(try bench.number("SELECT count(*) FROM outrider.location") == 40_002)
    let count = try #require(try bench.number("SELECT count(*) FROM outrider.partition"))
    #expect(count < 720)
  }

  @Test func manyDevicesAtMidnightMakeOnePartition() throws {
    let bench = try FleetBench(stores: 2)
    let (access, _) = try bench.addDevice("van-17")
    let midnight = Timestamp(bench.loop.clock.timestamp().date)
    var answers = 0
    for number in Int64(1)...500 {
      for store in bench.stores {
        store.store(upload(number...number, from: midnight), access: access) { outcome in
          guard case .stored = outcome else {
            Issue.record("\(outcome)")
            return
          }
          answers += 1
        }
      }
    }
    try bench.run { answers == 1000 }
    #expect(try bench.number("SELECT count(*) FROM outrider.partition") == 1)
  }

  @Test func aPartitionThatWasRemovedIsMadeAgain() throws {
    let bench = try FleetBench()
    let (access, _) = try bench.addDevice("van-17")
    #expect(try bench.receipt(upload(1...10), access).saved == 10)
    let name = try #require(
      try bench.rows("SELECT name FROM outrider.partition WHERE parent = 'location'")[0][0])
    try bench.sql.run("DROP TABLE outrider.\(name)")
    #expect(try bench.receipt(upload(1...10), access).saved == 10)
  }

  @Test func recordsBeyondTheRetentionAreAcknowledgedAndNotStored() throws {
    let rules = FleetStoreRules(connections: 1, retention: Retention(locationDays: 30, eventDays: 60))
    let bench = try FleetBench(rules: rules)
    let (access, _) = try bench.addDevice("van-17")
    let old = bench.loop.clock.timestamp() + .seconds(-40 * 86_400)
    var batch = upload(1...10, from: old)
    batch.events = [EventRow(id: RowID(time: old, record: 11), kind: "started")]
    batch.locations += upload(12...12, from: bench.loop.clock.timestamp() + .seconds(-60)).locations
    #expect(try bench.receipt(batch, access) == Receipt(saved: 2, expired: 10))
  }

  @Test func aTimeFarInTheFutureIsMarkedAsDoubtful() throws {
    let bench = try FleetBench()
    let (access, _) = try bench.addDevice("van-17")
    let now = bench.loop.clock.timestamp()
    var batch = upload(1...3, from: now + .seconds(20 * 365 * 86_400))
    batch.locations[1].extra = #"{"a":1}"#
    batch.locations[2].extra = "{ }"
    batch.locations += upload(4...4, from: now).locations
    #expect(try bench.receipt(batch, access).saved == 4)
    #expect(
      try bench.rows("SELECT extra::text FROM outrider.location ORDER BY record").map { $0[0] } == [
        #"{"time_doubtful": true}"#, #"{"a": 1, "time_doubtful": true}"#, #"{"time_doubtful": true}"#, nil,
      ])
    #expect(
      try bench.number(
        "SELECT count(*) FROM outrider.device_state WHERE last_time < now() + interval '1 minute'") == 1)
  }

  @Test func aDeadlockIsRepeatedAndEverythingIsStored() throws {
    let bench = try FleetBench(rules: FleetStoreRules(connections: 1))
    let (first, _) = try bench.addDevice("a")
    let (second, _) = try bench.addDevice("b")
    let outcomes = try bench.store([(upload(1...1), first), (upload(1...1), second)])
    #expect(outcomes == [.stored(Receipt(saved: 1)), .stored(Receipt(saved: 1))])
    // Another program locks the states in the opposite order.
    let other = try PostgresOther(bench)
    try other.lock("b")
    var done = 0
    for (index, access) in [first, second].enumerated() {
      bench.store.store(upload(Int64(10 + index)...Int64(10 + index)), access: access) { outcome in
        #expect(outcome == .stored(Receipt(saved: 1)))
        done += 1
      }
    }
    let waiting =
      "SELECT count(*) FROM pg_stat_activity WHERE wait_event_type = 'Lock' AND datname = current_database()"
    try bench.run { (try? bench.number(waiting)) == 1 }
    try other.lockThenCommit("a")
    try bench.run { done == 2 }
    #expect(bench.store.counts.failedGroups + other.failures >= 1)
    #expect(bench.notices == [])
  }

  /// A transaction of another program, on the loop of a bench.
  final class PostgresOther {
    private let connection: PostgresConnection
    private let bench: FleetBench
    private(set) var failures = 0

    init(_ bench: FleetBench) throws {
      self.bench = bench
      connection = PostgresConnection(bench.address + " options='-c deadlock_timeout=10s'", loop: bench.loop)
      connection.start()
      try bench.run { [connection] in connection.isConnected }
    }

    private func statement(_ name: String) -> String {
      "SELECT FROM outrider.device_state WHERE device = (SELECT id FROM outrider.device WHERE name = '\(name)') FOR UPDATE"
    }

    func lock(_ name: String) throws {
      var isDone = false
      connection.perform(.script("BEGIN; \(statement(name))")) { _ in isDone = true }
      try bench.run { isDone }
    }

    func lockThenCommit(_ name: String) throws {
      connection.perform(.script("\(statement(name)); COMMIT")) { [unowned self] result in
        if case .failure = result { failures += 1 }
      }
    }
  }

  @Test func aFullStoreRefusesUploadsAtOnce() throws {
    let bench = try FleetBench(rules: FleetStoreRules(connections: 1, intake: IntakeRules(memory: 60_000)))
    let (access, _) = try bench.addDevice("van-17")
    let outcomes = try bench.store(
      [0, 100, 200, 300, 400, 500].map { (start: Int64) in (upload(start...start + 99), access) })
    #expect(outcomes.first == .stored(Receipt(saved: 100)))
    #expect(outcomes.last == .unavailable)
    #expect(bench.store.pendingBytes == 0)
    #expect(try bench.receipt(upload(5000...5001), access).saved == 2)
  }

  @Test func numbersOutOfRangeAreRejected() throws {
    let bench = try FleetBench()
    let (access, _) = try bench.addDevice("van-17")
    let log = LogID(high: 1, low: 2)
    let huge = upload(1...1, log: log, range: 1...Int64.max)
    guard case .rejected = try bench.store(huge, access) else {
      Issue.record("stored")
      return
    }
    #expect(try bench.receipt(upload(1...1, log: log, range: 1...Int64.max - 1), access).have == .max - 1)
  }
}
