import FleetPolicy
import FleetRecords
import FleetStore
import PostgreSQL
import PostgreSQLSupport
import Quantities
import Testing

@Suite(.enabled(if: PostgresServer.isInstalled, "requires PostgreSQL"), .serialized)
struct CrashTests {
  /// Keeps what was acknowledged, and repeats what was not, like a device.
  final class Sender {
    let bench: FleetBench
    let access: Access
    private(set) var acknowledged: Set<Int64> = []
    private(set) var refusals = 0
    private(set) var inFlight = 0
    private var unsent: [Int64]
    var isSending = true

    init(_ bench: FleetBench, _ access: Access, batches: Int64) {
      self.bench = bench
      self.access = access
      unsent = (0..<batches).reversed().map { $0 * 20 + 1 }
    }

    var isDone: Bool { unsent.isEmpty && inFlight == 0 }

    func fill() {
      while isSending, inFlight < 20, let first = unsent.popLast() {
        inFlight += 1
        bench.store.store(upload(first...first + 19), access: access) { [unowned self] outcome in
          inFlight -= 1
          switch outcome {
          case .stored(let receipt):
            #expect(receipt.saved + receipt.known == 20)
            acknowledged.formUnion(first...first + 19)
          case .unavailable:
            refusals += 1
            unsent.insert(first, at: 0)
          case .rejected, .refused, .limited: Issue.record("\(outcome)")
          }
        }
      }
    }
  }

  @Test func everythingAcknowledgedIsStoredOnceAfterCrashes() throws {
    let server = try PostgresServer()
    let rules = FleetStoreRules(
      connections: 2, group: GroupRules(rows: 100), intake: IntakeRules(slowAfter: .seconds(1)))
    let bench = try FleetBench(on: server, rules: rules)
    let (access, _) = try bench.addDevice("van-17")
    let sender = Sender(bench, access, batches: 1500)
    for round in 1...3 {
      let goal = round * 4000
      try bench.run {
        sender.fill()
        return sender.acknowledged.count >= goal
      }
      #expect(sender.inFlight > 0)
      try server.stop(mode: "immediate")
      // Devices continue to send, and are told to keep their records.
      let before = sender.refusals
      try bench.run {
        sender.fill()
        return sender.refusals > before + 30
      }
      #expect(!bench.store.isHealthy)
      try server.start()
      try bench.run { bench.store.isHealthy }
      let sql = try BlockingConnection(bench.address)
      let rows = try #require(try sql.query("SELECT record FROM outrider.location"))
      let stored = (0..<rows.rowCount).compactMap { rows.integer($0, 0) }
      #expect(Set(stored).count == stored.count)
      #expect(sender.acknowledged.isSubset(of: stored))
    }
    try bench.run {
      sender.fill()
      return sender.isDone
    }
    let sql = try BlockingConnection(bench.address)
    #expect(sender.acknowledged.count == 30_000)
    let rows = try sql.query("SELECT count(*), count(DISTINCT record) FROM outrider.location")
    #expect(rows?.integer(0, 0) == 30_000 && rows?.integer(0, 1) == 30_000)
    #expect(bench.notices.contains("database: connected"))
  }

  @Test func aDatabaseThatDoesNotAnswerMakesUploadsUnavailable() throws {
    let rules = FleetStoreRules(connections: 1, intake: IntakeRules(slowAfter: .seconds(1)))
    let bench = try FleetBench(rules: rules)
    let (access, _) = try bench.addDevice("van-17")
    #expect(try bench.receipt(upload(1...10), access).saved == 10)
    try bench.sql.run("BEGIN; LOCK TABLE outrider.device_state IN EXCLUSIVE MODE")
    var outcomes: [UploadOutcome] = []
    bench.store.store(upload(11...20), access: access) { outcomes.append($0) }
    var next: Int64 = 100
    try bench.run {
      if outcomes.isEmpty {
        bench.store.store(upload(next...next), access: access) { outcomes.append($0) }
        next += 1
      }
      return !outcomes.isEmpty
    }
    #expect(outcomes.first == .unavailable)
    try bench.sql.run("COMMIT")
    try bench.run { bench.store.pendingBytes == 0 }
    #expect(outcomes.contains(.stored(Receipt(saved: 10))))
    #expect(try bench.receipt(upload(11...21), access) == Receipt(saved: 1, known: 10))
  }

  /// After a failover or a restored backup, the numbers of devices can be those of others.
  @Test func numbersOfDevicesAreNotRememberedAcrossAReconnection() throws {
    let bench = try FleetBench()
    let (access, token) = try bench.addDevice("van-17")
    #expect(try bench.access(token) == access)
    #expect(try bench.receipt(upload(1...10, unique: "hw-17"), access).saved == 10)
    // The number now belongs to another device, and the collector loses its connections.
    try bench.sql.run(
      """
      UPDATE outrider.device SET name = 'other', unique_id = 'hw-other'; DELETE FROM outrider.token;
      SELECT pg_terminate_backend(pid) FROM pg_stat_activity
        WHERE datname = current_database() AND pid <> pg_backend_pid()
      """)
    let before = bench.notices.count
    try bench.run { bench.notices.count >= before + 2 && bench.store.isHealthy }
    #expect(try bench.access(token) == .unknown)
    _ = try bench.store(upload(11...20, unique: "hw-17"), access)
    #expect(
      try bench.number(
        """
        SELECT count(*) FROM outrider.location l JOIN outrider.device d ON d.id = l.device
        WHERE d.name = 'other' AND l.record > 10
        """) == 0)
  }

  @Test func aStoreThatStopsAnswersEveryUpload() throws {
    let bench = try FleetBench()
    let (access, _) = try bench.addDevice("van-17")
    var outcomes: [UploadOutcome] = []
    for first in [Int64(1), 11, 21] {
      bench.store.store(upload(first...first + 9), access: access) { outcomes.append($0) }
    }
    bench.store.stop()
    #expect(outcomes == [.unavailable, .unavailable, .unavailable])
    #expect(bench.store.pendingBytes == 0)
    #expect(try bench.store(upload(1...1), access) == .unavailable)
    #expect(try bench.access("any") == nil)
  }

  @Test func aSchemaThatIsMissingIsNotTheDevicesFault() throws {
    let bench = try FleetBench()
    let (access, _) = try bench.addDevice("van-17")
    #expect(try bench.receipt(upload(1...10), access).saved == 10)
    try bench.sql.run("ALTER TABLE outrider.location RENAME COLUMN wifi TO network")
    #expect(try bench.store(upload(11...20), access) == .unavailable)
    #expect(bench.notices.last?.contains("wifi") == true)
    try bench.sql.run("ALTER TABLE outrider.location RENAME COLUMN network TO wifi")
    #expect(try bench.receipt(upload(11...20), access).saved == 10)
  }
}
