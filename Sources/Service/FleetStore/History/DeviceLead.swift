import PostgreSQL
import Quantities

/// Where to begin to read the records of a device, so that the gaps of a period and their reasons are known from its start
/// on. It is the lead with which a device reads its own log.
public struct DeviceLead: Equatable, Sendable {
  /// The records among which the last location before the period is searched.
  private static let reach: Int64 = 5000
  /// The number of records before that location that show reasons that are still in force.
  private static let leading: Int64 = 500

  /// What is to be read.
  public private(set) var period: DevicePeriod
  /// The time of the last location before the period, or the start of the period; nil without either. A gap of the period
  /// begins no earlier.
  public private(set) var floor: Timestamp?

  /// Finds the lead to a period from a time on. Returns nil if there is no such device.
  public init?(
    _ database: BlockingConnection, device name: String, from: Timestamp?
  ) throws(PostgresError) {
    guard let device = try Self.number(of: name, database) else { return nil }
    (period, floor) = (DevicePeriod(from: from), from)
    guard let from,
      let start = try Self.last(
        before: from, in: ["location", "visit", "trip", "action", "event"], device, database)
    else { return }
    var seed = try Self.last(before: from, in: ["location"], device, database)
    if start.record < 0 || seed.map({ $0.record < 0 }) ?? false {
      // A program without record numbers sends no events.
      period.from = seed?.time ?? from
      floor = period.from
      return
    }
    if let found = seed, found.log != start.log || start.record - found.record >= Self.reach { seed = nil }
    let first = min(seed?.record ?? start.record, start.record) - Self.leading
    if let seed { floor = min(from, seed.time) }
    let last = min(seed?.time ?? start.time, start.time)
    period.from = try Self.earliest(after: first, upTo: last, start.log, device, database)
    period.skipped = (log: start.log, through: first)
  }

  /// The number of a device in the tables; nil if there is no such device.
  static func number(of name: String, _ database: BlockingConnection) throws(PostgresError) -> Int64? {
    try database.query("SELECT id FROM outrider.device WHERE name = $1::text", [.text(name)])?.integer(0, 0)
  }

  /// The time of the newest location or event of a device; nil if it has none.
  public static func newest(
    _ database: BlockingConnection, device name: String
  ) throws(PostgresError) -> Timestamp? {
    try database.query(
      """
      SELECT greatest((SELECT max(time) FROM outrider.location WHERE device = d.id),
        (SELECT max(time) FROM outrider.event WHERE device = d.id)) FROM outrider.device d WHERE d.name = $1::text
      """, [.text(name)])?.time(0, 0)
  }

  private typealias Place = (log: Int64, record: Int64, time: Timestamp)

  private static func newestFirst(_ tables: [String], _ condition: String, limit: Int64) -> String {
    tables.map { table in
      """
      (SELECT coalesce(log, 0) AS log, record, time FROM outrider.\(table)
        WHERE device = $1::int AND time \(condition) $2::timestamptz ORDER BY time DESC, record DESC LIMIT \(limit))
      """
    }.joined(separator: "\nUNION ALL ")
  }

  /// The last record of a device before a time.
  private static func last(
    before time: Timestamp, in tables: [String], _ device: Int64, _ database: BlockingConnection
  ) throws(PostgresError) -> Place? {
    let rows = try database.query(
      """
      SELECT log, record, time FROM (\(newestFirst(tables, "<", limit: 1))) AS r ORDER BY time DESC, record DESC LIMIT 1
      """, [.int4(Int32(clamping: device)), .time(time)])
    guard let rows, let log = rows.integer(0, 0), let record = rows.integer(0, 1), let time = rows.time(0, 2)
    else { return nil }
    return (log, record, time)
  }

  /// The earliest time of the records of a log after a number, up to a time.
  private static func earliest(
    after number: Int64, upTo time: Timestamp, _ log: Int64, _ device: Int64, _ database: BlockingConnection
  ) throws(PostgresError) -> Timestamp {
    let tables = ["location", "visit", "trip", "action", "event"]
    let rows = try database.query(
      """
      SELECT min(time) FROM (\(newestFirst(tables, "<=", limit: leading + 1))) AS r
      WHERE log = $3::bigint AND record > $4::bigint
      """, [.int4(Int32(clamping: device)), .time(time), .int8(log), .int8(number)])
    return rows?.time(0, 0) ?? time
  }
}
