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
  /// What its names meant when it was opened.
  private(set) var place: LogPlace

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
  /// The last id that the running pass of ``check(rows:)`` has read.
  var checked: Int64 = 0
  /// Steps of the check since its position was made durable.
  var stepsUnsaved = 0

  /// Takes over a file that is known to be sound and holds the tables.
  init(_ connection: Connection, bootID: String, idFloor: Int64, clock: @escaping () -> Moment)
    throws(DatabaseError)
  {
    self.connection = connection
    self.clock = clock
    place = LogPlace(path: connection.path)
    try LogSchema.prepare(connection)
    try connection.migrate(LogSchema.migrations)
    checked = try StateRow.load(.checked, from: connection) ?? 0
    for cursor in try CursorRow.loadAll(from: connection) { cursors[cursor.destination] = cursor }
    _ = try connection.firstID("SELECT min(id) FROM record")
    _ = try connection.firstID("SELECT min(first) FROM gap")
    let highest = max(idFloor, try Self.highestID(in: connection, cursors: cursors.values))
    guard highest < LogSchema.firstImplausible else {
      throw .damaged(path: connection.path, "the number \(highest) is none that a log has reached")
    }
    nextID = highest + 1
    boot = BootRow(number: 0, bootID: bootID, firstID: nextID)
    try begin(bootID)
    // Only now is there a write-ahead log.
    place = LogPlace(path: connection.path)
  }

  /// Finds the boot among those known, or adds it, and marks the log as open.
  private func begin(_ bootID: String) throws(DatabaseError) {
    if let row = try connection.firstRow("\(BootRow.selection) ORDER BY number DESC LIMIT 1") {
      guard let latest = BootRow(row), latest.number < LogSchema.firstImplausible else {
        throw .damaged(
          path: connection.path, "the row of a boot fails its checksum, or its number is impossible")
      }
      if latest.bootID == bootID, !bootID.isEmpty {
        boot = latest
      } else {
        boot.number = latest.number
      }
    }
    let isNew = boot.firstID == nextID && boot.offset == nil
    if isNew { boot.number += 1 }
    try connection.transaction { () throws(DatabaseError) in
      if isNew { try boot.save(to: connection) }
      try StateRow.save(.open, 1, to: connection)
    }
    OpenMarker(database: connection.path).write(
      OpenMarker.Content(lastID: lastID.rawValue, bootID: bootID))
  }

  /// The highest id that the file knows of; 0 for none.
  static func highestID(
    in connection: Connection, cursors: some Sequence<CursorRow>
  ) throws(DatabaseError) -> Int64 {
    var highest = try StateRow.load(.floor, from: connection) ?? 0
    highest = max(highest, try connection.firstID("SELECT max(id) FROM record") ?? 0)
    highest = max(highest, try connection.firstID("SELECT max(last) FROM gap") ?? 0)
    for cursor in cursors {
      highest = max(highest, cursor.acknowledged, cursor.border ?? 0)
      highest = max(highest, cursor.lateAcknowledged, cursor.lateBorder ?? 0)
    }
    return highest
  }

  /// The highest id given so far.
  public var lastID: RecordID { RecordID(nextID - 1) }

  /// The number of the running boot.
  public var bootNumber: Int64 { boot.number }

  /// UTC minus moment in ms, once the running boot has learned the time.
  public var bootOffset: Int64? { boot.offset }

  /// Empties the write-ahead log into the file and marks the log as left in good order.
  public func close() throws(DatabaseError) {
    if try closeIntoFile() {
      OpenMarker(database: connection.path).remove()
    } else {
      // A reader may hold a snapshot: then the rest stays in the write-ahead log, where it is as safe.
      try markClosed()
    }
  }

  /// False when not all of the write-ahead log could be played into the file; the mark is then not durable yet.
  private func closeIntoFile() throws(DatabaseError) -> Bool {
    // The checkpoint syncs the write-ahead log before it writes to the file (sqlite.org/pragma.html#pragma_synchronous).
    try connection.execute("PRAGMA synchronous = NORMAL")
    defer { try? connection.execute("PRAGMA synchronous = FULL") }
    try markClosed()
    return (try? connection.firstRow("PRAGMA wal_checkpoint(TRUNCATE)"))?.first == .integer(0)
  }

  private func markClosed() throws(DatabaseError) {
    try connection.transaction { () throws(DatabaseError) in
      try StateRow.save(.open, 0, to: connection)
      if stepsUnsaved > 0 { try StateRow.save(.checked, checked, to: connection) }
    }
  }

  /// Leaves the files as they are; the next opening finds a log that was not closed.
  func abandon() { connection.keepLogOnClose() }
}
