import FleetPolicy
import FleetRecords
import FleetStore
import PostgreSQL
import PostgreSQLSupport
import Quantities
import Testing

@Suite(.enabled(if: PostgresServer.isInstalled, "requires PostgreSQL"), .serialized)
struct JobTests {
  @Test func retentionRemovesWholePartitionsAndOldRows() throws {
    let bench = try FleetBench()
    let (access, _) = try bench.addDevice("van-17")
    let now = bench.loop.clock.timestamp()
    for days in [0, 5, 29, 31, 35, 90] {
      let time = now + .seconds(-86_400 * days - 60)
      var batch = upload(1...10, from: time)
      batch.actions = [ActionRow(id: RowID(time: time, record: 11), action: "will_terminate", place: nil)]
      batch.events = [EventRow(id: RowID(time: time, record: 12), kind: "started")]
      #expect(try bench.receipt(batch, access).saved == 12)
    }
    // A run that was interrupted after it had detached a table.
    try bench.sql.run(
      """
      SELECT outrider.make_partition('location', '2020-01-01', 1);
      ALTER TABLE outrider.location DETACH PARTITION outrider.location_20200101;
      """)
    bench.store.stop()
    bench.open(
      FleetStoreRules(connections: 1, retention: Retention(locationDays: 30, eventDays: 32, reportDays: 30)))
    try bench.run {
      (try? bench.number("SELECT count(*) FROM outrider.action")) == 4
        && (try? bench.number("SELECT count(*) FROM outrider.location")) == 30
        && (try? bench.number("SELECT count(to_regclass('outrider.location_20200101'))")) == 0
    }
    let oldest =
      "SELECT count(*) FROM outrider.partition WHERE parent = 'location' AND upper < now() - interval '31 days'"
    #expect(try bench.number(oldest) == 0)
    try bench.run {
      (try? bench.number("SELECT count(*) FROM pg_class WHERE relname ~ '^location_[0-9]{8}$'")) == 3
    }
    #expect(bench.notices == [])
  }

  @Test func closedPartitionsAreReindexedOnce() throws {
    let bench = try FleetBench()
    let (access, _) = try bench.addDevice("van-17")
    let now = bench.loop.clock.timestamp()
    for days in [0, 1, 10] {
      #expect(
        try bench.receipt(upload(1...10, from: now + .seconds(-86_400 * days - 60)), access).saved == 10)
    }
    let files = """
      SELECT string_agg(i.relfilenode::text, ' ' ORDER BY p.lower) FROM outrider.partition p
      JOIN pg_class i ON i.relname = p.name || '_pkey'
      """
    let before = try #require(try bench.rows(files)[0][0]).split(separator: " ")
    let comments = "SELECT count(*) FROM pg_description WHERE description = 'reindexed'"
    for _ in 0..<2 {
      bench.stores.last?.stop()
      bench.open(FleetStoreRules(connections: 1))
      try bench.run { bench.stores.last?.summary != nil && (try? bench.number(comments)) == 1 }
    }
    let after = try #require(try bench.rows(files)[0][0]).split(separator: " ")
    #expect(before.count == 3 && after.count == 3)
    #expect(before[0] != after[0] && before[1...] == after[1...])
    #expect(bench.notices == [])
  }

  @Test func silenceAndReturnAreEventsOfTheFleet() throws {
    let bench = try FleetBench()
    let (access, _) = try bench.addDevice("van-17")
    #expect(try bench.receipt(upload(1...10), access).saved == 10)
    try bench.sql.run(
      "UPDATE outrider.device_state SET last_seen = now() - interval '3 days', next_contact = now() - interval '2 days', "
        + "battery_percent = 3")
    let events = "SELECT kind FROM fleet.fleet_event WHERE device = 'van-17' ORDER BY id"
    bench.store.stop()
    bench.open(FleetStoreRules(connections: 1))
    try bench.run { (try? bench.rows(events)) == [["device_silent"]] }
    #expect(
      try bench.rows("SELECT device, probable_reason FROM fleet.silent_device") == [
        ["van-17", "battery critical"]
      ])
    #expect(
      try bench.store([(upload(11...20), access)], in: bench.stores[1]) == [.stored(Receipt(saved: 10))])
    bench.stores[1].stop()
    bench.open(FleetStoreRules(connections: 1))
    try bench.run { (try? bench.rows(events)) == [["device_silent"], ["device_returned"]] }
  }

  @Test func theFleetIsCountedByTheCollectorThatDoesTheJobs() throws {
    let bench = try FleetBench()
    let (access, _) = try bench.addDevice("van-17", cohort: "a\"b")
    _ = try bench.addDevice("van-18")
    var batch = upload(1...1)
    batch.report = DeviceReport(text: "{}", version: "1.4.0", queuedRecords: 12, daysLeft: 0)
    #expect(try bench.receipt(batch, access).saved == 1)
    bench.store.stop()
    for _ in 0..<2 { bench.open(FleetStoreRules(connections: 1)) }
    try bench.run { bench.stores.contains { $0.summary != nil } }
    try bench.run { bench.stores[1].isHealthy && bench.stores[2].isHealthy }
    let texts = bench.stores.compactMap { $0.summary?.text }
    #expect(
      texts == [
        #"""
        # HELP outrider_fleet_devices Devices by state and cohort.
        # TYPE outrider_fleet_devices gauge
        outrider_fleet_devices{state="never",cohort="all"} 1.0
        outrider_fleet_devices{state="ok",cohort="a\"b"} 1.0
        # HELP outrider_fleet_devices_by_version Devices by the version of the logger.
        # TYPE outrider_fleet_devices_by_version gauge
        outrider_fleet_devices_by_version{version="1.4.0"} 1.0
        # HELP outrider_fleet_battery_remaining_seconds Forecast of the time after which a share of the devices is empty.
        # TYPE outrider_fleet_battery_remaining_seconds gauge
        outrider_fleet_battery_remaining_seconds{cohort="a\"b",share="0.01"} 0.0
        outrider_fleet_battery_remaining_seconds{cohort="a\"b",share="0.1"} 0.0
        outrider_fleet_battery_remaining_seconds{cohort="a\"b",share="0.5"} 0.0
        # HELP outrider_fleet_queued_records Records that devices have not sent yet, by cohort.
        # TYPE outrider_fleet_queued_records gauge
        outrider_fleet_queued_records{cohort="a\"b"} 12.0

        """#
      ])
  }
}
