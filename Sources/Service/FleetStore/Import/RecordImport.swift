import FleetPolicy
import FleetRecords
import PostgreSQL
import Quantities

/// Stores records of another database, for command-line tools. A record is stored once, by device, time and number, as
/// by the ingest server. The state of a device, such as its last contact, stays as it is.
public final class RecordImport {
  /// The tables of records that a household has.
  public enum Table: String, CaseIterable, Sendable {
    case location, visit, trip, action
  }

  private let database: BlockingConnection
  private let clock: Timestamp
  private let tables = GroupTables()
  private var partitions: PartitionPlan
  private var devices: [String: Int32] = [:]

  /// `now` is the time by which records of the future are marked.
  public init(
    _ database: BlockingConnection, now: Timestamp, locationPartitions: PartitionWidth = .day
  ) throws(PostgresError) {
    (self.database, clock) = (database, now)
    partitions = PartitionPlan(locationPartitions)
    try readPartitions()
  }

  /// Stores the records of an upload in one transaction, and returns how many of them are new, by table. Creates the
  /// device and the partitions if they are missing. `received` is the time at which the records were received.
  public func store(
    _ upload: Upload, device name: String, received: Timestamp
  ) throws(PostgresError) -> [Table: Int] {
    let number = try number(of: name)
    try makePartitions(for: upload)
    let age = RecordAge(Retention(), now: clock)
    let submission = Submission(
      upload, access: .device(DeviceNumber(number)), age: age, arrival: .zero, waitingSince: .zero,
      received: received, completion: { _ in })
    submission.owner = Submission.Owner(
      device: AdmittedDevice(number: DeviceNumber(number), name: name, cohort: ""), log: nil)
    var repeated = [0]
    tables.fill([submission], age: age, now: received, known: &repeated)
    let filled = tables.filled
    let commands = [FleetErasures.sharedLock] + filled.map(\.command)
    let results = try database.perform(.transaction(commands, limit: nil)).dropFirst()
    var stored: [Table: Int] = [:]
    for (table, result) in zip(filled, results) {
      var (saved, known) = ([0], [0])
      table.count(result, saved: &saved, known: &known)
      if let name = Table(rawValue: table.name) { stored[name] = saved[0] }
    }
    return stored
  }

  /// The number of records of the devices that were imported, by table.
  public func counts() throws(PostgresError) -> [Table: Int64] {
    var counts: [Table: Int64] = [:]
    for table in Table.allCases {
      var total: Int64 = 0
      for number in devices.values {
        let rows = try database.query(
          "SELECT count(*) FROM outrider.\(table.rawValue) WHERE device = $1::int4", [.int4(number)])
        total += rows?.integer(0, 0) ?? 0
      }
      counts[table] = total
    }
    return counts
  }

  private func number(of name: String) throws(PostgresError) -> Int32 {
    if let known = devices[name] { return known }
    try database.query(
      "INSERT INTO outrider.device (name) VALUES ($1::text) ON CONFLICT (name) DO NOTHING", [.text(name)])
    let row = try database.query("SELECT id FROM outrider.device WHERE name = $1::text", [.text(name)])
    let number = Int32(clamping: row?.integer(0, 0) ?? 0)
    devices[name] = number
    return number
  }

  private func readPartitions() throws(PostgresError) {
    let rows = try database.query("SELECT lower, upper FROM outrider.partition WHERE parent = 'location'")
    var bounds: [(lower: Timestamp, upper: Timestamp)] = []
    for row in 0..<(rows?.rowCount ?? 0) {
      if let lower = rows?.time(row, 0), let upper = rows?.time(row, 1) { bounds.append((lower, upper)) }
    }
    partitions.replace(bounds)
  }

  private func makePartitions(for upload: Upload) throws(PostgresError) {
    let absent = Set(upload.locations.lazy.map(\.id.time.day)).filter { !partitions.covers($0) }
    guard !absent.isEmpty else { return }
    for range in partitions.missing(absent, today: clock.day) {
      try database.query(
        "SELECT outrider.make_partition('location', date '1970-01-01' + $1::int4, $2::int4)",
        [.int4(Int32(clamping: range.firstDay)), .int4(Int32(clamping: range.days))])
    }
    try readPartitions()
  }
}
