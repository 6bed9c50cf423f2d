import Database
import Glibc
import Quantities
import Records

/// The limits of retention: how long and how much the log keeps.
public struct RetentionLimits: Equatable, Sendable {
  /// Age at which records are deleted, once every destination has acknowledged them; nil for no limit.
  public var age: Duration?
  /// Size of the log with its write-ahead log in bytes; above it the oldest records are deleted, sent or not. Nil for
  /// no limit.
  public var bytes: Int64?

  public init(age: Duration? = nil, bytes: Int64? = nil) {
    self.age = age
    self.bytes = bytes
  }
}

/// The result of one step of retention.
public struct RetentionReport: Equatable, Sendable {
  /// Number of deleted records.
  public var deleted: Int64 = 0
  /// Number of deleted records, without events, that a destination had not acknowledged; also stored as an event.
  public var dropped: Int64 = 0
  /// True if another step may delete more.
  public var hasMore = false
  /// The records that were set aside and are sent once more before they are deleted by age, by destination.
  public var lastChances: [String: [HeldRecord]] = [:]
}

extension LogDatabase {
  /// The maximum number of records that one step deletes, which keeps the transaction short.
  static let retentionStep: Int64 = 2000

  /// Does one step of retention: deletes the oldest records that exceed the limit of age or size.
  ///
  /// Call it again while ``RetentionReport/hasMore`` is true. `now` is nil while the time is unknown; then age deletes
  /// nothing. Nothing is deleted, by age or by size, before the configured destinations are registered.
  public func expire(now: Timestamp?, limits: RetentionLimits) throws(DatabaseError) -> RetentionReport {
    guard queues.allowsDeletion, let first = try connection.firstID("SELECT min(id) FROM record") else {
      return RetentionReport()
    }
    let settled = try min(settledThrough(), (firstHeld() ?? .max) - 1)
    var end = first - 1
    var lastChances: [String: [HeldRecord]] = [:]
    if let age = limits.age, let now {
      let cutoff = Timestamp(milliseconds: now.milliseconds) + (.zero - age)
      end = min(try agedThrough(from: first, cutoff: cutoff), settled)
      lastChances = try self.lastChances(before: cutoff)
    }
    if end < first, let bytes = limits.bytes, try isOver(bytes) {
      end = min(first + Self.retentionStep / 4, nextID) - 1
    }
    var report = RetentionReport()
    if end >= first {
      end = min(end, first + Self.retentionStep - 1)
      report = try delete(first...end, settled: settled)
    }
    report.hasMore = report.deleted > 0
    report.lastChances = lastChances
    return report
  }

  /// The space that the log has under these limits.
  func room(limits: RetentionLimits) throws(DatabaseError) -> StorageRoom {
    var room = StorageRoom(unsent: 0, limit: limits.bytes)
    if let first = try connection.firstID("SELECT min(id) FROM record") {
      let waiting = nextID - 1 - max(try settledThrough(), first - 1)
      let share = Double(max(0, waiting)) / Double(max(1, nextID - first))
      room.unsent = Int64(Double(try LogQueries.bytes(connection)) * share)
    }
    (room.file, room.used) = (try LogQueries.fileBytes(connection), try LogQueries.bytes(connection))
    var facts = statvfs()
    if statvfs(connection.path, &facts) == 0 {
      room.free = Int64(clamping: UInt64(facts.f_bavail)) &* Int64(clamping: UInt64(facts.f_frsize))
      room.capacity = Int64(clamping: UInt64(facts.f_blocks)) &* Int64(clamping: UInt64(facts.f_frsize))
    }
    return room
  }

  /// The last id up to which no record is, or may become, queued for a destination whose queue is kept.
  private func settledThrough() throws(DatabaseError) -> Int64 {
    var settled = nextID - 1
    let kept = queues.kept
    for name in kept {
      // It gets its cursor at the start of the log.
      guard let cursor = queues[name] else { return 0 }
      var damaged: [RecordID] = []
      // Searches the next batch, so that events and undated records before it do not stay forever.
      _ = try wholeBatch(for: name, after: nil, damaged: &damaged)
      settled = min(settled, max(queues[name]?.acknowledged ?? 0, queues.searchedThrough(name)))
      let kinds = RecordRow.condition(for: queues.events(of: name))
      let late = try connection.firstID(
        "SELECT min(id) FROM late CROSS JOIN record USING (id) WHERE id > ? AND \(kinds)",
        [.integer(cursor.lateAcknowledged)])
      if let late { settled = min(settled, late - 1) }
    }
    guard !kept.isEmpty, boot.offset == nil else { return settled }
    // Records of this boot may still be dated.
    let undated = try connection.firstID(
      "SELECT id FROM record WHERE id >= ? AND time_ms IS NULL ORDER BY id LIMIT 1", [.integer(boot.firstID)])
    return min(settled, (undated ?? .max) - 1)
  }

  /// The last id up to which all records are older than `cutoff`. An undated record counts as old as the next dated
  /// one.
  private func agedThrough(from first: Int64, cutoff: Timestamp) throws(DatabaseError) -> Int64 {
    let statement = try connection.statement(
      "SELECT id, time_ms FROM record WHERE id >= ? AND time_ms IS NOT NULL ORDER BY id")
    try statement.bind([.integer(first)])
    defer { statement.reset() }
    var end = first - 1
    while end < first + Self.retentionStep, try statement.step() {
      guard let id = statement[0].id, let time = statement[1].integer, time < cutoff.milliseconds else {
        break
      }
      end = id
    }
    return end
  }

  private func isOver(_ limit: Int64) throws(DatabaseError) -> Bool {
    let used = try LogQueries.bytes(connection)
    guard used + walSize > limit else { return false }
    // The space of a write-ahead log that has been merged into the file can be released.
    _ = try connection.rows("PRAGMA wal_checkpoint(TRUNCATE)")
    // A reader may prevent that; it must not make retention delete ever more records.
    return try LogQueries.bytes(connection) + min(walSize, limit / 4) > limit
  }

  private var walSize: Int64 {
    var facts = stat()
    return stat(connection.path + "-wal", &facts) == 0 ? Int64(facts.st_size) : 0
  }

  private func delete(_ ids: ClosedRange<Int64>, settled: Int64) throws(DatabaseError) -> RetentionReport {
    var report = RetentionReport()
    var changed = queues.cursors
    let end: [ColumnValue] = [.integer(ids.upperBound)]
    report.dropped = ids.upperBound > settled ? try unsent(through: ids.upperBound) : 0
    if report.dropped > 0 {
      for name in queues.cursors.keys {
        changed[name] = try withPendingEnd(changed[name], dropping: ids.upperBound)
      }
    }
    var written = 0
    recordRewrite()
    try connection.transaction { () throws(DatabaseError) in
      try connection.run("DELETE FROM record WHERE id <= ?", end)
      report.deleted = connection.changes
      try connection.run("DELETE FROM late WHERE id <= ?", end)
      try connection.run("DELETE FROM held WHERE id <= ?", end)
      try connection.run("DELETE FROM gap WHERE last <= ?", end)
      try connection.run(
        "DELETE FROM boot WHERE number < ? AND number < (SELECT boot FROM record ORDER BY id LIMIT 1)",
        [.integer(boot.number)])
      try StateRow.save(.floor, ids.upperBound, to: connection)
      for (name, cursor) in changed where cursor != queues[name] { try cursor.save(to: connection) }
      guard report.dropped > 0 else { return }
      written = 1
      _ = try insert([
        record(
          .recordsDropped,
          [.cause: "limit", .record: .integer(ids.upperBound), .count: .integer(report.dropped)])
      ])
    }
    queues.store(changed)
    recordAppended(written, queued: 0)
    if report.dropped > 0 { queues.forgetCounts() }
    return report
  }

  /// The number of records up to an id that a destination whose queue is kept has not acknowledged.
  ///
  /// Events do not count; undated records that may still be dated do.
  private func unsent(through end: Int64) throws(DatabaseError) -> Int64 {
    guard let (acknowledged, late) = queues.acknowledgedByAll else { return 0 }
    let held = try countHeld(through: end, acknowledged: acknowledged)
    return try held
      + (connection.firstInteger(
        """
        SELECT count(*) FROM record WHERE id <= ?1 AND kind <> 1 AND CASE
          WHEN time_ms IS NULL THEN boot = ?4 AND ?5 WHEN late = 1 THEN id > ?3 ELSE id > ?2 END
        """,
        [
          .integer(end), .integer(acknowledged), .integer(late), .integer(boot.number),
          .integer(boot.offset == nil ? 1 : 0),
        ]) ?? 0)
  }

  /// Stores the boundary of a full batch that may be in flight and loses its first records, so that the records after
  /// it are not sent twice.
  private func withPendingEnd(_ cursor: CursorRow?, dropping end: Int64) throws(DatabaseError) -> CursorRow? {
    guard var cursor, cursor.boundary == nil, cursor.acknowledged < end else { return cursor }
    var search = BatchSearch(limit: Self.bounded(cursor.batchSize))
    guard let batch = try ordinaryBatch(cursor, &search), batch.boundary == .counted,
      batch.through.rawValue > end
    else {
      return cursor
    }
    cursor.boundary = batch.through.rawValue
    cursor.version &+= 1
    return cursor
  }
}
