import FleetPolicy
import FleetRecords
import FleetStore
import PostgreSQL
import PostgreSQLSupport
import Quantities
import Testing

@Suite(.enabled(if: PostgresServer.isInstalled, "requires PostgreSQL"), .serialized)
struct SettingsTests {
  /// A store that has read the desired settings.
  static func bench(_ settings: String) throws -> (FleetBench, Access) {
    let bench = try FleetBench()
    let (access, _) = try bench.addDevice("van-17", cohort: "field")
    try bench.sql.run(settings)
    bench.open(FleetStoreRules(connections: 1))
    try bench.run { bench.stores[1].isHealthy && bench.stores[1].hasSettings }
    return (bench, access)
  }

  static func report(_ hash: String?, _ outcomes: [SettingOutcome] = []) -> Upload {
    Upload(
      deviceID: "van-17",
      report: DeviceReport(text: "{}", settingsHash: hash, settingOutcomes: outcomes))
  }

  static func receipt(_ bench: FleetBench, _ upload: Upload, _ access: Access) throws -> Receipt {
    guard case .stored(let receipt)? = try bench.store([(upload, access)], in: bench.stores[1]).first else {
      Issue.record("not stored")
      return Receipt()
    }
    return receipt
  }

  @Test func settingsAreSentUntilTheDeviceHasThem() throws {
    let (bench, access) = try Self.bench(
      """
      SELECT fleet.set_desired('all', '', 'main.min_time', '"10s"');
      SELECT fleet.set_desired('all', '', 'tracking', 'true');
      SELECT fleet.set_desired('cohort', 'field', 'main.min_time', '"20s"');
      SELECT fleet.set_desired('device', 'van-17', 'main.batch_size', '60.5');
      SELECT fleet.set_desired('device', 'van-17', 'main.batch_size', '61');
      """)
    let first = try Self.receipt(bench, Self.report(nil), access)
    #expect(first.settings == #"{"main":{"batch_size":61,"min_time":"20s"},"tracking":true}"#)
    let hash = try #require(first.settingsHash)
    #expect(hash.hasPrefix("sha256:") && hash.utf8.count == 71)
    #expect(
      try bench.rows("SELECT key, value::text, outcome FROM fleet.setting ORDER BY key") == [
        ["main.batch_size", "61", "sent"], ["main.min_time", #""20s""#, "sent"],
        ["tracking", "true", "sent"],
      ])
    // It does not have them yet.
    #expect(try Self.receipt(bench, Self.report("sha256:0"), access).settingsHash == hash)
    // They were sent and nothing was set since, so an upload without a report gets nothing.
    #expect(try Self.receipt(bench, upload(1...1), access).settings == nil)
    #expect(try Self.receipt(bench, Self.report(hash), access).settings == nil)
    #expect(throws: PostgresError.self) {
      try bench.sql.run("SELECT fleet.set_desired('device', 'nobody', 'tracking', 'true')")
    }
  }

  /// A device without a trusted date, which names no value: it speaks of the last response, if it has got that.
  @Test func anOutcomeWithoutAValueIsThatOfTheLastResponse() throws {
    let (bench, access) = try Self.bench("SELECT fleet.set_desired('all', '', 'main.min_time', '\"10s\"')")
    let sent = try Self.receipt(bench, Self.report(nil), access)
    let outcomes = [SettingOutcome(key: "main.min_time", outcome: .onTrial)]
    _ = try Self.receipt(bench, Self.report("sha256:0", outcomes), access)
    #expect(try bench.rows("SELECT outcome FROM fleet.setting") == [["sent"]])
    _ = try Self.receipt(bench, Self.report(sent.settingsHash, outcomes), access)
    #expect(try bench.rows("SELECT outcome FROM fleet.setting") == [["on_trial"]])
  }

  @Test func anOutcomeWithATimeInTheFutureHidesNoneAfterIt() throws {
    let (bench, access) = try Self.bench("SELECT fleet.set_desired('all', '', 'main.min_time', '\"10s\"')")
    let sent = try Self.receipt(bench, Self.report(nil), access)
    func report(_ outcome: SettingOutcome.Outcome, _ ahead: Duration) throws {
      let time = bench.loop.clock.timestamp() + ahead
      let outcomes = [SettingOutcome(key: "main.min_time", value: #""10s""#, outcome: outcome, time: time)]
      _ = try Self.receipt(bench, Self.report(sent.settingsHash, outcomes), access)
    }
    try report(.onTrial, .seconds(400 * 86_400))
    #expect(
      try bench.rows("SELECT outcome, (time <= now())::text FROM fleet.setting") == [["on_trial", "true"]])
    try report(.proven, .zero)
    #expect(try bench.rows("SELECT outcome FROM fleet.setting") == [["proven"]])
  }

  /// The first value is taken back while another one stays desired, then the last one.
  @Test(arguments: [false, true]) func aValueThatIsNotDesiredAnyMoreIsTakenBackOnce(isRestarted: Bool) throws
  {
    let (bench, access) = try Self.bench(
      """
      SELECT fleet.set_desired('all', '', 'main.min_time', '"10s"');
      SELECT fleet.set_desired('all', '', 'tracking', 'true');
      """)
    func proven(_ keys: String...) -> [SettingOutcome] {
      keys.map {
        SettingOutcome(
          key: $0, value: $0 == "tracking" ? "true" : #""10s""#, outcome: .proven,
          time: bench.loop.clock.timestamp())
      }
    }
    func clear(_ key: String) throws {
      try bench.sql.run("SELECT fleet.clear_desired('all', '', '\(key)')")
      bench.stores[1].refreshSettings()
      try bench.run { bench.stores[1].hasSettings }
    }
    var hash = try Self.receipt(bench, Self.report(nil), access).settingsHash
    _ = try Self.receipt(bench, Self.report(hash, proven("main.min_time", "tracking")), access)
    try clear("main.min_time")
    let first = try Self.receipt(
      bench, Self.report(isRestarted ? nil : hash, proven("main.min_time", "tracking")), access)
    #expect(first.settings == #"{"tracking":true}"# && first.unset == ["main.min_time"])
    // The response was lost.
    #expect(try Self.receipt(bench, Self.report(hash), access).unset == ["main.min_time"])
    let confirmed = try Self.receipt(bench, Self.report(first.settingsHash, proven("tracking")), access)
    #expect(confirmed.settings == nil && confirmed.unset.isEmpty)
    #expect(try bench.rows("SELECT key FROM fleet.setting") == [["tracking"]])
    hash = confirmed.settingsHash
    let idle = try Self.receipt(bench, Self.report(hash, proven("tracking")), access)
    #expect(idle.settingsHash == nil && idle.unset.isEmpty)
    try clear("tracking")
    let last = try Self.receipt(bench, Self.report(isRestarted ? nil : hash, proven("tracking")), access)
    #expect(last.settings == nil && last.unset == ["tracking"])
    hash = try Self.receipt(bench, Self.report(last.settingsHash), access).settingsHash
    #expect(try bench.rows("SELECT key FROM fleet.setting") == [])
    let end = try Self.receipt(bench, Self.report(hash), access)
    #expect(end.settingsHash == nil && end.settings == nil && end.unset.isEmpty)
  }

  @Test func aValueThatWasRolledBackIsNotSentAgainUntilItChanges() throws {
    let (bench, access) = try Self.bench(
      """
      SELECT fleet.set_desired('all', '', 'main.min_time', '"10s"');
      SELECT fleet.set_desired('all', '', 'tracking', 'true');
      """)
    #expect(try Self.receipt(bench, Self.report(nil), access).settings != nil)
    let outcomes = [
      SettingOutcome(
        key: "main.min_time", value: #""10s""#, outcome: .rolledBack, reason: "no delivery",
        time: bench.loop.clock.timestamp()),
      SettingOutcome(key: "tracking", value: "true", outcome: .proven, time: bench.loop.clock.timestamp()),
      SettingOutcome(key: "foreign", value: "1", outcome: .proven, time: bench.loop.clock.timestamp()),
    ]
    let rest = try Self.receipt(bench, Self.report("sha256:0", outcomes), access)
    #expect(rest.settings == #"{"tracking":true}"#)
    #expect(
      try bench.rows("SELECT key, outcome, reason FROM fleet.setting ORDER BY key") == [
        ["foreign", "superseded", nil], ["main.min_time", "rolled_back", "no delivery"],
        ["tracking", "proven", nil],
      ])
    #expect(try Self.receipt(bench, Self.report(rest.settingsHash), access).settings == nil)
    #expect(try bench.rows("SELECT is_as_desired::text FROM fleet.device") == [["false"]])
    try bench.sql.run(#"SELECT fleet.set_desired('all', '', 'main.min_time', '"15s"')"#)
    bench.stores[1].refreshSettings()
    try bench.run { bench.stores[1].hasSettings }
    let changed = try Self.receipt(bench, Self.report(rest.settingsHash), access)
    #expect(changed.settings == #"{"main":{"min_time":"15s"},"tracking":true}"#)
    #expect(
      try bench.rows("SELECT outcome FROM fleet.setting WHERE key = 'main.min_time'") == [["sent"]])
  }
}
