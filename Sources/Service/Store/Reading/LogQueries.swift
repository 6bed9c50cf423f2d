import Database
import Quantities
import Records

/// Queries shared by the writer and readers in other processes.
enum LogQueries {
  /// The number of records of the ordinary queue in a range of ids: dated records other than events.
  static func queued(_ connection: Connection, after: Int64, through: Int64 = .max) throws(DatabaseError)
    -> Int
  {
    let count = try connection.firstInteger(
      """
      SELECT count(*) FROM record WHERE id > ? AND id <= ? AND kind <> 1 AND time_ms IS NOT NULL AND late = 0
      """, [.integer(after), .integer(through)])
    return Int(clamping: count ?? 0)
  }

  /// The last id of the ordinary queue; 0 if it is empty.
  static func lastQueued(_ connection: Connection) throws(DatabaseError) -> Int64 {
    try connection.firstInteger(
      """
      SELECT id FROM record WHERE kind <> 1 AND time_ms IS NOT NULL AND late = 0 ORDER BY id DESC LIMIT 1
      """) ?? 0
  }

  /// The number of late records, without events.
  static func queuedLate(_ connection: Connection, after: Int64) throws(DatabaseError) -> Int {
    let count = try connection.firstInteger(
      "SELECT count(*) FROM late CROSS JOIN record USING (id) WHERE id > ? AND kind <> 1", [.integer(after)])
    return Int(clamping: count ?? 0)
  }

  /// The number of records that a destination holds and has not set aside.
  static func held(_ connection: Connection, by destination: String) throws(DatabaseError) -> Int {
    let count = try connection.firstInteger(
      "SELECT count(*) FROM held WHERE destination = ? AND set_aside = 0", [.text(destination)])
    return Int(clamping: count ?? 0)
  }

  /// The earlier time of the first record of the ordinary queue and that of the late one; nil if both are empty.
  static func oldestQueued(
    _ connection: Connection, after: Int64, late: Int64
  ) throws(DatabaseError) -> Timestamp? {
    let times = [
      try connection.firstInteger(
        """
        SELECT time_ms FROM record WHERE id > ? AND kind <> 1 AND time_ms IS NOT NULL AND late = 0 ORDER BY id LIMIT 1
        """, [.integer(after)]),
      try connection.firstInteger(
        """
        SELECT time_ms FROM late CROSS JOIN record USING (id) WHERE id > ? AND kind <> 1 AND time_ms IS NOT NULL
        ORDER BY id LIMIT 1
        """, [.integer(late)]),
    ]
    return times.compactMap { $0 }.min().map { Timestamp(milliseconds: $0) }
  }

  /// The newest intact record of a kind, among the last 20.
  static func newest(
    _ kind: Int64, _ connection: Connection, columns: String = RecordRow.columns
  ) throws(DatabaseError) -> StoredRecord? {
    let statement = try connection.statement(
      "SELECT \(columns) FROM record WHERE kind = ? ORDER BY id DESC LIMIT 20")
    try statement.bind([.integer(kind)])
    defer { statement.reset() }
    while try statement.step() {
      if case .record(let record, _) = RecordRow.read(statement.values) { return record }
    }
    return nil
  }

  /// The number of undated records. Only boots without a known time have any, so only their ids are searched.
  static func undated(_ connection: Connection) throws(DatabaseError) -> Int64 {
    try connection.firstInteger(
      """
      SELECT sum((SELECT count(*) FROM record WHERE id >= boot.first_id AND time_ms IS NULL
        AND id < ifnull((SELECT min(next.first_id) FROM boot AS next WHERE next.number > boot.number),
          9223372036854775807)))
      FROM boot WHERE offset_ms IS NULL
      """) ?? 0
  }

  /// Size of the pages in use, in bytes.
  static func bytes(_ connection: Connection) throws(DatabaseError) -> Int64 {
    let pages = try connection.firstInteger("PRAGMA page_count") ?? 0
    let free = try connection.firstInteger("PRAGMA freelist_count") ?? 0
    return (pages - free) * Int64(LogSchema.pageSize)
  }

  /// Size of the file in bytes, with its free pages.
  static func fileBytes(_ connection: Connection) throws(DatabaseError) -> Int64 {
    (try connection.firstInteger("PRAGMA page_count") ?? 0) * Int64(LogSchema.pageSize)
  }

  /// The status of the log without its queues and newest records.
  static func status(_ connection: Connection) throws(DatabaseError) -> LogStatus {
    let first = try connection.firstID("SELECT min(id) FROM record")
    let last = try connection.firstID("SELECT max(id) FROM record")
    let missing = try missingIDs(connection, within: 1...RecordID.highest.rawValue)
    var status = LogStatus(
      ids: nil, count: 0, missing: missing, undated: try undated(connection), bytes: try bytes(connection),
      destinations: [])
    guard let first, let last, first <= last else { return status }
    status.ids = RecordID(first)...RecordID(last)
    status.firstTime = try connection.firstInteger(
      "SELECT min(time_ms) FROM (SELECT time_ms FROM record ORDER BY id LIMIT 100)"
    ).map { Timestamp(milliseconds: $0) }
    status.count = max(0, last - first + 1 - (try missingIDs(connection, within: first...last)))
    return status
  }

  /// The number of ids in gaps. Neither the numbers nor their sum overflow, which would make SQLite fail.
  static func missingIDs(
    _ connection: Connection, within ids: ClosedRange<Int64>
  ) throws(DatabaseError) -> Int64 {
    try connection.firstInteger(
      """
      SELECT CAST(min(total(min(last, ?2) - max(first, ?1) + 1), 9007199254740991.0) AS INTEGER) FROM gap
      WHERE last >= ?1 AND first <= ?2 AND first <= last
      """, [.integer(ids.lowerBound), .integer(ids.upperBound)]) ?? 0
  }
}
