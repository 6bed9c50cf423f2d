import Database
import FleetRecords
import FleetStore
import PostgreSQL
import PostgreSQLSupport
import Quantities
import Store
import Testing

@Suite(.enabled(if: PostgresServer.isInstalled, "requires PostgreSQL"), .serialized)
struct SchemaTests {
  @Test func theSchemaIsCreatedOnce() throws {
    let bench = try FleetBench()
    let again = try FleetSchema.migrate(bench.sql)
    #expect(again == [])
    #expect(try bench.number("SELECT count(*) FROM outrider.migration") == 8)
    #expect(try bench.number("SELECT count(*) FROM pg_roles WHERE rolname = 'outrider_read'") == 1)
  }

  @Test func severalProgramsMayCreateTheSchemaAtOnce() throws {
    let server = try PostgresServer.common()
    for round in 0..<3 {
      let name = "schema_\(UInt32.random(in: 0...UInt32.max))_\(round)"
      try BlockingConnection(server.address).run("CREATE DATABASE \(name)")
      let address = server.address(of: name)
      let outcomes = onThreads(4) {
        do throws(PostgresError) {
          return try FleetSchema.migrate(BlockingConnection(address)).joined(separator: ", ")
        } catch {
          return "\(error)"
        }
      }
      let steps = [
        "0001 tables", "0002 functions", "0003 views", "0004 erased periods", "0005 enrolment limit",
        "0006 questions", "0007 kept bodies", "0008 corrections",
      ]
      #expect(outcomes.flatMap { $0.split(separator: ", ").map(String.init) }.sorted() == steps)
    }
  }

  /// The step is undone, as if the database were that of the version before.
  @Test func aDatabaseOfTheVersionBeforeIsBroughtUpToDate() throws {
    let bench = try FleetBench()
    let (access, _) = try bench.addDevice("van-17")
    #expect(try bench.receipt(upload(1...3), access).saved == 3)
    try bench.sql.run(
      """
      DROP TABLE outrider.erased_record; DROP INDEX outrider.device_cloned_from;
      DROP FUNCTION outrider.erase_later; DELETE FROM outrider.migration WHERE name = '0008 corrections';
      INSERT INTO outrider.setting_outcome SELECT id, 'tracking', 'true', NULL, now() + interval '1 year', 'sent'
        FROM outrider.device;
      """)
    let steps = try FleetSchema.migrate(bench.sql)
    #expect(steps == ["0008 corrections"])
    #expect(try bench.number("SELECT count(*) FROM outrider.setting_outcome WHERE time <= now()") == 1)
    #expect(try bench.receipt(upload(1...4), access) == Receipt(saved: 1, known: 3))
  }

  /// Other encodings cannot hold every text, or any.
  @Test func aDatabaseInAnotherEncodingIsLeftAsItIs() throws {
    let server = try PostgresServer.common()
    let name = "ascii_\(UInt32.random(in: 0...UInt32.max))"
    try BlockingConnection(server.address).run(
      "CREATE DATABASE \(name) ENCODING 'SQL_ASCII' LOCALE 'C' TEMPLATE template0")
    let database = try BlockingConnection(server.address(of: name))
    var failure = ""
    do throws(PostgresError) { try FleetSchema.migrate(database) } catch { failure = "\(error)" }
    #expect(failure.contains("SQL_ASCII, but must be UTF8"))
    let schemas = try database.query(
      "SELECT count(*) FROM pg_namespace WHERE nspname IN ('outrider', 'fleet')")
    #expect(schemas?.integer(0, 0) == 0)
  }

  /// The device's columns without those of its clock, then the two of the fleet.
  @Test func theViewsHaveTheColumnsOfTheDevicesViews() throws {
    let directory = "/tmp/outrider-views-\(UInt32.random(in: 0...UInt32.max))"
    defer { removeFolder(directory) }
    _ = try LogDatabase.open(
      try StorageDirectory(directory, allowVolatile: true),
      options: LogOptions(bootID: "boot", clock: { .zero }))
    let device = try Connection(path: directory + "/outrider.db", access: .readOnly)
    let bench = try FleetBench()
    for view in ["location", "visit", "trip", "action", "event"] {
      let own = try device.rows("SELECT name FROM pragma_table_info('\(view)') ORDER BY cid").compactMap {
        $0[0].text
      }
      let expected = ["device"] + own.filter { $0 != "boot" && $0 != "moment_ms" } + ["received"]
      let fleet = try bench.rows(
        """
        SELECT column_name::text FROM information_schema.columns
        WHERE table_schema = 'fleet' AND table_name = '\(view)' ORDER BY ordinal_position
        """)
      #expect(own.count > 5)
      #expect(fleet.map { $0[0] } == expected, "\(view)")
    }
  }

  @Test func theReadersRoleSeesTheViewsAndNoTables() throws {
    let bench = try FleetBench()
    let (access, _) = try bench.addDevice("van-17")
    #expect(try bench.receipt(upload(1...3), access).saved == 3)
    try bench.sql.run("SET ROLE outrider_read")
    for view in [
      "location", "visit", "trip", "action", "event", "device", "silent_device", "gap", "version_count",
      "backlog",
      "battery_forecast", "card_wear", "receiver_fault", "delivery_delay", "setting", "fleet_event",
      "question",
    ] {
      #expect(try bench.number("SELECT count(*) FROM fleet.\(view)") != nil)
    }
    #expect(throws: PostgresError.self) { try bench.number("SELECT count(*) FROM outrider.location") }
    #expect(throws: PostgresError.self) { try bench.number("SELECT count(*) FROM outrider.token") }
  }
}
