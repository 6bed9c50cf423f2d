import Database
import Quantities
import Records

/// The log: one append-only table of records, a cursor for every destination, one writer.
///
/// Every call is synchronous and durable when it returns (`synchronous=FULL`). A thrown error leaves the log as it was
/// before the call. An instance is used by one thread only: that of ``StoreWorker``, by way of ``LogWriter``.
public final class LogDatabase {
  let connection: Connection
  /// The boot clock; stamps the events that the log itself writes.
  let clock: () -> Moment
  /// The identity of the files when the log was opened.
  private(set) var fileIdentity: LogFileIdentity

  /// The id of the next record.
  private(set) var nextID: Int64
  private(set) var boot: BootRow
  /// The number of transactions that changed or deleted records, by which a copy of the log is out of date.
  private(set) var rewrites: UInt64 = 0
  var queues: LogQueues
  var progress: CheckProgress

  /// Takes over the connection to an intact file that contains the tables.
  init(_ connection: Connection, bootID: String, idFloor: Int64, clock: @escaping () -> Moment)
    throws(DatabaseError)
  {
    self.connection = connection
    self.clock = clock
    fileIdentity = LogFileIdentity(path: connection.path)
    try LogSchema.prepare(connection)
    try connection.migrate(LogSchema.migrations)
    progress = CheckProgress(checked: try StateRow.load(.checked, from: connection) ?? 0)
    queues = LogQueues(try CursorRow.loadAll(from: connection))
    _ = try connection.firstID("SELECT min(id) FROM record")
    _ = try connection.firstID("SELECT min(first) FROM gap")
    let highest = max(idFloor, try Self.highestID(in: connection, cursors: queues.cursors.values))
    guard highest < LogSchema.firstImplausible else {
      throw .damaged(path: connection.path, "the record id \(highest) is implausibly high")
    }
    nextID = highest + 1
    boot = BootRow(number: 0, bootID: bootID, firstID: nextID)
    try begin(bootID)
    // Again, because the write-ahead log exists only now.
    fileIdentity = LogFileIdentity(path: connection.path)
  }

  /// Finds or adds the row of the current boot, and marks the log as open.
  private func begin(_ bootID: String) throws(DatabaseError) {
    if let row = try connection.firstRow("\(BootRow.selection) ORDER BY number DESC LIMIT 1") {
      guard let latest = BootRow(row), latest.number < LogSchema.firstImplausible else {
        throw .damaged(
          path: connection.path, "a row of the table boot fails its checksum or has an implausible number")
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

  /// The highest id in any table of the file; 0 for none.
  static func highestID(
    in connection: Connection, cursors: some Sequence<CursorRow>
  ) throws(DatabaseError) -> Int64 {
    var highest = try StateRow.load(.floor, from: connection) ?? 0
    highest = max(highest, try connection.firstID("SELECT max(id) FROM record") ?? 0)
    highest = max(highest, try connection.firstID("SELECT max(last) FROM gap") ?? 0)
    for cursor in cursors {
      highest = max(highest, cursor.acknowledged, cursor.boundary ?? 0)
      highest = max(highest, cursor.lateAcknowledged, cursor.lateBoundary ?? 0)
    }
    return highest
  }

  /// Advances the next id and the queue counts after records were committed.
  func recordAppended(_ count: Int, queued: Int) {
    nextID += Int64(count)
    queues.append(queued)
  }

  /// Registers that records are changed or deleted.
  func recordRewrite() { rewrites &+= 1 }

  /// Takes over the row of the current boot after it was saved.
  func store(_ boot: BootRow) { self.boot = boot }

  /// The highest id assigned so far.
  public var lastID: RecordID { RecordID(nextID - 1) }

  /// The number of the current boot.
  public var bootNumber: Int64 { boot.number }

  /// UTC minus boot clock in ms; nil until the time of the current boot is known.
  public var bootOffset: Int64? { boot.offset }

  /// Merges the write-ahead log into the file and marks the log as closed.
  public func close() throws(DatabaseError) {
    if try closeIntoFile() {
      OpenMarker(database: connection.path).remove()
    } else {
      // A reader may hold a snapshot; then the rest stays in the write-ahead log, where it is just as safe.
      try markClosed()
    }
  }

  /// Marks the log as closed and merges the write-ahead log; false if the merge was incomplete, and then the mark is
  /// not durable yet.
  private func closeIntoFile() throws(DatabaseError) -> Bool {
    // The checkpoint syncs the write-ahead log before it writes to the file (sqlite.org/pragma.html#pragma_synchronous).
    try connection.execute("PRAGMA synchronous = NORMAL")
    defer { try? connection.execute("PRAGMA synchronous = FULL") }
    try markClosed()
    return (try? connection.firstRow("PRAGMA wal_checkpoint(TRUNCATE)"))?.first == .integer(0)
  }

  /// Marks the log as closed and merges its write-ahead log, before another file replaces it. False if a reader prevents the
  /// merge; then the log is open as before.
  func closeForReplacement() throws(DatabaseError) -> Bool {
    if try closeIntoFile() { return true }
    try StateRow.save(.open, 1, to: connection)
    return false
  }

  private func markClosed() throws(DatabaseError) {
    try connection.transaction { () throws(DatabaseError) in
      try StateRow.save(.open, 0, to: connection)
      if progress.hasUnsavedSteps { try StateRow.save(.checked, progress.checked, to: connection) }
    }
  }

  /// Leaves the files as they are, so that the next start finds a log that was not closed.
  func abandon() { connection.keepLogOnClose() }
}
