import FleetPolicy
import FleetRecords
import FleetStore
import Foundation
import Glibc
import PostgreSQL
import PostgreSQLSupport
import Quantities
import Testing

/// Databases that answer, and accept no writes or other ones than expected.
@Suite(.enabled(if: PostgresServer.isInstalled, "requires PostgreSQL"), .serialized)
struct WriteFaultTests {
  static let faults: [(sql: String, repair: String, fault: String)] = [
    (
      "ALTER DATABASE %s SET default_transaction_read_only = on",
      "SET default_transaction_read_only = off; ALTER DATABASE %s RESET default_transaction_read_only",
      "read-only"
    ),
    (
      "ALTER SCHEMA outrider RENAME TO lost", "ALTER SCHEMA lost RENAME TO outrider", "lacks tables"
    ),
    (
      "CREATE TABLE step AS SELECT * FROM outrider.migration ORDER BY name DESC LIMIT 1;"
        + "DELETE FROM outrider.migration m USING step WHERE m.name = step.name",
      "INSERT INTO outrider.migration SELECT * FROM step", "fleet init"
    ),
  ]

  @Test func aDatabaseThatAcceptsNoWritesIsNotHealthy() throws {
    for test in Self.faults {
      let bench = try FleetBench()
      let (access, _) = try bench.addDevice("van-17")
      let name = try #require(try bench.rows("SELECT current_database()::text")[0][0])
      func run(_ sql: String) throws {
        try bench.sql.run(sql.replacingOccurrences(of: "%s", with: name))
        try bench.sql.run(
          "SELECT pg_terminate_backend(pid) FROM pg_stat_activity "
            + "WHERE datname = current_database() AND pid <> pg_backend_pid()")
      }
      try run(test.sql)
      try bench.run { bench.store.writeFault.map { "\($0)".contains(test.fault) } ?? false }
      #expect(!bench.store.isHealthy)
      #expect(bench.notices.contains { $0.contains(test.fault) })
      #expect(try bench.store(upload(1...10, unique: "hw-1"), access) == .unavailable)
      try run(test.repair)
      try bench.run { bench.store.isHealthy && bench.store.writeFault == nil }
      // The upload may have failed because of the connections that ended.
      try bench.run { bench.store.pendingBytes == 0 }
      #expect(try bench.receipt(upload(1...10, unique: "hw-1"), access).saved == 10)
      #expect(bench.store.isHealthy)
    }
  }

  /// While the loop reads a large body of one device, it does not see that the database has answered.
  @Test func theWorkForOneDeviceDoesNotMakeTheDatabaseSlow() throws {
    var rules = FleetStoreRules(connections: 2, group: GroupRules(delay: .milliseconds(1)))
    rules.intake.slowAfter = .seconds(2)
    let bench = try FleetBench(rules: rules)
    let (access, _) = try bench.addDevice("van-17")
    #expect(try bench.receipt(upload(1...1), access).saved == 1)
    var outcomes: [UploadOutcome] = []
    // The first one is prepared, the second one is handed over, and the third one comes after the work.
    bench.store.store(upload(2...2), access: access) { outcomes.append($0) }
    bench.loop.callNextTurn {
      bench.store.store(upload(3...3), access: access) { outcomes.append($0) }
      let end = bench.loop.now + .milliseconds(2500)
      while bench.loop.now < end {}
      #expect(!bench.store.isSlow)
      bench.store.store(upload(4...4), access: access) { outcomes.append($0) }
    }
    try bench.run { outcomes.count == 3 }
    #expect(outcomes.allSatisfy { $0 == .stored(Receipt(saved: 1)) }, "\(outcomes)")
    // A database that does not answer is slow.
    let blocker = try BlockingConnection(bench.address)
    try blocker.run("BEGIN; LOCK TABLE outrider.location IN ACCESS EXCLUSIVE MODE")
    bench.store.store(upload(5...5), access: access) { outcomes.append($0) }
    try bench.run { bench.store.isSlow }
    #expect(try bench.store(upload(6...6), access) == .unavailable)
    try blocker.run("ROLLBACK")
    try bench.run { outcomes.count == 4 }
    #expect(outcomes.last == .stored(Receipt(saved: 1)) && !bench.store.isSlow)
  }

  @Test func aStandbyThatIsAwayEndsRequestsAndLeavesFewConnections() throws {
    let server = try PostgresServer()
    var rules = FleetStoreRules(connections: 1, requestTime: .seconds(1))
    rules.intake.slowAfter = .milliseconds(500)
    let bench = try FleetBench(on: server, rules: rules)
    let (access, _) = try bench.addDevice("van-17")
    #expect(try bench.receipt(upload(1...10), access).saved == 10)
    try bench.sql.run("ALTER SYSTEM SET synchronous_standby_names = 'nobody'")
    try bench.sql.run("SELECT pg_reload_conf()")
    let start = bench.loop.now
    var (longest, answers) = (Duration.zero, 0)
    var record: Int64 = 100
    while bench.loop.now - start < .seconds(12) {
      let sent = bench.loop.now
      let outcome = try bench.store(upload(record...record), access)
      longest = max(longest, bench.loop.now - sent)
      answers += 1
      record += 1
      #expect(outcome == .unavailable)
      let next = bench.loop.now + .milliseconds(100)
      try bench.run { bench.loop.now >= next }
    }
    #expect(longest < .seconds(4) && answers > 3)
    try bench.run { !bench.store.isHealthy && bench.store.writeFault == .unconfirmed }
    let stuck = try bench.number("SELECT count(*) FROM pg_stat_activity WHERE wait_event = 'SyncRep'")
    #expect((0...2).contains(stuck ?? 9))
    try bench.sql.run("ALTER SYSTEM RESET synchronous_standby_names")
    try bench.sql.run("SELECT pg_reload_conf()")
    try bench.run { bench.store.isHealthy && bench.store.pendingBytes == 0 }
    let receipt = try bench.receipt(upload(1...10), access)
    #expect(receipt == Receipt(known: 10))
  }

  @Test(.enabled(if: GermanServer.isPossible, "requires the German messages of PostgreSQL, and localedef"))
  func aMissingPartitionIsMadeAgainWhateverTheLanguageOfTheServer() throws {
    let german = try GermanServer()
    let bench = try FleetBench(on: german.server)
    var message = ""
    do throws(PostgresError) { _ = try bench.sql.query("SELECT 1 / 0") } catch { message = "\(error)" }
    #expect(message.contains("Division durch Null"))
    let (access, _) = try bench.addDevice("van-17")
    #expect(try bench.receipt(upload(1...10), access).saved == 10)
    let name = try #require(
      try bench.rows("SELECT name FROM outrider.partition WHERE parent = 'location'")[0][0])
    try bench.sql.run("DROP TABLE outrider.\(name)")
    #expect(try bench.receipt(upload(1...10), access).saved == 10)
  }
}

/// A server whose messages are German, with a locale of its own.
private final class GermanServer {
  private static let localedef = "/usr/bin/localedef"
  static let isPossible =
    access(localedef, X_OK) == 0 && access("/usr/share/i18n/locales/de_DE", R_OK) == 0
    && (access("/usr/share/locale/de/LC_MESSAGES/postgres-15.mo", R_OK) == 0
      || access("/usr/share/locale/de/LC_MESSAGES/postgres-17.mo", R_OK) == 0)

  let server: PostgresServer
  private let folder = "/tmp/outrider-locale-\(UInt32.random(in: 0...UInt32.max))"

  init() throws {
    try FileManager.default.createDirectory(
      atPath: folder, withIntermediateDirectories: false, attributes: [.posixPermissions: 0o755])
    let process = Process()
    process.executableURL = URL(fileURLWithPath: Self.localedef)
    process.arguments = ["-i", "de_DE", "-f", "UTF-8", "--no-archive", folder + "/de_DE.UTF-8"]
    try process.run()
    process.waitUntilExit()
    setenv("LOCPATH", folder, 1)
    defer { unsetenv("LOCPATH") }
    server = try PostgresServer(settings: ["lc_messages = 'de_DE.UTF-8'"])
  }

  deinit { try? FileManager.default.removeItem(atPath: folder) }
}
