import Database
import Quantities
import Records

/// The log: one append-only table, a cursor for each destination, one writer.
///
/// Every call is synchronous and durable when it returns (`synchronous=FULL`). It belongs to one thread and knows
/// none; ``StoreWorker`` gives it one. A thrown error leaves the log as it was before the call.
public final class LogDatabase {
  let connection: Connection
  /// Dates what the log itself has to say.
  let clock: () -> Moment

  /// The id of the next record.
  var nextID: Int64
  var boot: BootRow
  /// All cursors that the file holds, by destination.
  var cursors: [String: CursorRow] = [:]
  /// The destinations that hold retention back.
  var registered: Set<String> = []
  /// Ids through which a destination has nothing queued beyond its acknowledgement: where to look next.
  var searched: [String: Int64] = [:]
  /// Queued records by destination, for those that were asked for.
  var queuedCounts: [String: Int] = [:]

  /// Takes over a file that is known to be sound and holds the tables.
  init(_ connection: Connection, bootID: String, idFloor: Int64, clock: @escaping () -> Moment)
    throws(DatabaseError)
  {
    self.connection = connection
    self.clock = clock
    try LogSchema.prepare(connection)
    try connection.migrate(LogSchema.migrations)
    for row in try connection.rows(CursorRow.selection) {
      guard let cursor = CursorRow(row) else {
        throw .damaged(path: connection.path, "the cursor of \(row[0]) fails its checksum")
      }
      cursors[cursor.destination] = cursor
    }
    var highest = max(idFloor, try StateRow.load(.floor, from: connection) ?? 0)
    highest = max(highest, try connection.firstInteger("SELECT max(id) FROM record") ?? 0)
    highest = max(highest, try connection.firstInteger("SELECT max(last) FROM gap") ?? 0)
    for cursor in cursors.values {
      highest = max(highest, cursor.acknowledged, cursor.border ?? 0)
      highest = max(highest, cursor.lateAcknowledged, cursor.lateBorder ?? 0)
    }
    guard highest < .max else {
      throw .damaged(path: connection.path, "the ids have run out")
    }
    nextID = highest + 1
    boot = BootRow(number: 0, bootID: bootID, firstID: nextID)
    try begin(bootID)
  }

  /// Finds the boot among those known, or adds it, and marks the log as open.
  private func begin(_ bootID: String) throws(DatabaseError) {
    if let row = try connection.firstRow("\(BootRow.selection) ORDER BY number DESC LIMIT 1") {
      guard let latest = BootRow(row) else {
        throw .damaged(path: connection.path, "the row of a boot fails its checksum")
      }
      if latest.bootID == bootID, !bootID.isEmpty {
        boot = latest
      } else {
        boot.number = latest.number
      }
    }
    let isNew = boot.firstID == nextID && boot.offset == nil
    if isNew, boot.number < .max { boot.number += 1 }
    try connection.transaction { () throws(DatabaseError) in
      if isNew { try boot.save(to: connection) }
      try StateRow.save(.open, 1, to: connection)
    }
  }

  /// The highest id given so far.
  public var lastID: RecordID { RecordID(nextID - 1) }

  /// The number of the running boot.
  public var bootNumber: Int64 { boot.number }

  /// UTC minus moment in ms, once the running boot has learned the time.
  public var bootOffset: Int64? { boot.offset }

  /// Empties the write-ahead log into the file and marks the log as left in good order.
  public func close() throws(DatabaseError) {
    try connection.transaction { () throws(DatabaseError) in
      try StateRow.save(.open, 0, to: connection)
    }
    // A reader may hold a snapshot: then the rest stays in the write-ahead log, where it is as safe.
    _ = try? connection.rows("PRAGMA wal_checkpoint(TRUNCATE)")
  }

  /// Leaves the files as they are; the next opening finds a log that was not closed.
  func abandon() { connection.keepLogOnClose() }
}
