import FleetPolicy
import FleetRecords
import FleetStore
import PostgreSQL
import PostgreSQLSupport
import Quantities
import Testing

/// Bodies that are kept as received.
@Suite(.enabled(if: PostgresServer.isInstalled, "requires PostgreSQL"), .serialized)
struct KeptBodyTests {
  static let log = LogID(high: 1, low: 2)

  private static func kept(
    _ records: ClosedRange<Int64>, from time: Timestamp = noon, _ text: String
  ) -> Upload {
    var body = upload(records, from: time, log: log)
    body.body = Array(text.utf8)
    return body
  }

  private static func texts(_ bench: FleetBench) throws -> [String] {
    try bench.rows("SELECT convert_from(body, 'UTF8') FROM fleet.batch ORDER BY received, 1").compactMap {
      $0[0]
    }
  }

  @Test func aBodyIsKeptOnceHoweverOftenItIsSent() throws {
    let rules = FleetStoreRules(connections: 2, group: GroupRules(delay: .milliseconds(1)))
    let bench = try FleetBench(rules: rules, stores: 2)
    let (access, _) = try bench.addDevice("van-17")
    let (other, _) = try bench.addDevice("van-18")
    // The same records at the same time in two collectors, with different reports.
    var answers = 0
    for attempt in 0..<20 {
      let body = Self.kept(1...10, "attempt")
      bench.stores[attempt % 2].store(body, access: access) { outcome in
        answers += 1
        guard case .stored = outcome else {
          Issue.record("\(outcome)")
          return
        }
      }
    }
    try bench.run { answers == 20 }
    #expect(try Self.texts(bench) == ["attempt"])
    #expect(try bench.receipt(Self.kept(11...20, "next"), access).saved == 10)
    #expect(try bench.receipt(Self.kept(1...10, "other device"), other).saved == 10)
    #expect(try Self.texts(bench) == ["attempt", "next", "other device"])
    // Requests without records have nothing to keep.
    var empty = Upload(deviceID: "van-17", log: Self.log)
    empty.body = Array("empty".utf8)
    _ = try bench.receipt(empty, access)
    #expect(try Self.texts(bench).count == 3)
  }

  @Test func anErasureDeletesBodiesThatMayContainSomethingOfThePeriod() throws {
    let bench = try FleetBench(rules: FleetStoreRules(connections: 1))
    let (access, _) = try bench.addDevice("van-17")
    let (other, _) = try bench.addDevice("van-18")
    let now = bench.loop.clock.timestamp()
    for (device, name) in [(access, "a"), (other, "b")] {
      _ = try bench.receipt(Self.kept(1...10, from: now + .seconds(-90_000), "old \(name)"), device)
      _ = try bench.receipt(Self.kept(11...20, from: now + .seconds(-60), "new \(name)"), device)
    }
    // Both were received after the beginning of the period, and begin before its end.
    _ = try bench.number("SELECT fleet.erase('van-17', now() - interval '1 hour', NULL)")
    #expect(try Self.texts(bench) == ["new b", "old b"].sorted { $0 > $1 })
    // A repetition stays out, and what comes later is kept.
    _ = try bench.receipt(Self.kept(11...20, from: now + .seconds(-60), "again"), access)
    #expect(try Self.texts(bench).contains("again") == false)
    let later = bench.loop.clock.timestamp() + .seconds(2)
    _ = try bench.receipt(Self.kept(21...30, from: later, "later"), access)
    #expect(try Self.texts(bench).contains("later"))
    _ = try bench.number("SELECT fleet.erase('van-18', NULL, now() - interval '2 days')")
    #expect(try Self.texts(bench).contains("old b"), "it begins after the period")
  }

  /// A record of a wrong clock is erased by its identity, and so is every body that has it.
  @Test func aBodyWithAnErasedRecordOfTheFutureIsNotKeptAgain() throws {
    let bench = try FleetBench(rules: FleetStoreRules(connections: 1))
    let (access, _) = try bench.addDevice("van-17")
    let (other, _) = try bench.addDevice("van-18")
    let future = bench.loop.clock.timestamp() + .seconds(30 * 86_400)
    for device in [access, other] { _ = try bench.receipt(Self.kept(1...10, from: future, "future"), device) }
    #expect(try Self.texts(bench) == ["future", "future"])
    #expect(try bench.number("SELECT fleet.erase('van-17')") == 10)
    #expect(try Self.texts(bench) == ["future"])
    for records in [Int64(1)...10, 5...5, 10...15] {
      _ = try bench.receipt(Self.kept(records, from: future, "again"), access)
    }
    #expect(try Self.texts(bench) == ["future"])
    // Neither a new record among those times nor the same ones of another device were erased.
    _ = try bench.receipt(Self.kept(11...20, from: future + .seconds(-5), "new"), access)
    _ = try bench.receipt(Self.kept(5...5, from: future, "of the other"), other)
    #expect(Set(try Self.texts(bench)) == ["future", "new", "of the other"])
  }

  @Test func bodiesAreDroppedByTheirRetention() throws {
    let bench = try FleetBench(rules: FleetStoreRules(connections: 1))
    let (access, _) = try bench.addDevice("van-17")
    _ = try bench.receipt(Self.kept(1...10, "present"), access)
    try bench.sql.run(
      """
      SELECT outrider.make_partition('batch', '2025-01-01', 31);
      INSERT INTO outrider.batch (device, received, key, first_time, last_time, body)
        SELECT device, '2025-01-15', '\\x00', '2025-01-15', '2025-01-15', 'old' FROM outrider.batch
      """)
    #expect(try Self.texts(bench) == ["old", "present"])
    var rules = FleetStoreRules(connections: 1)
    rules.retention.bodyDays = 90
    bench.store.stop()
    bench.open(rules)
    try bench.run { (try? Self.texts(bench)) == ["present"] }
  }
}
