import Database
import Quantities
import Records

/// The log as another process reads it while the logger runs, or while none does. Never writes, never blocks.
public final class LogReader {
  private let connection: Connection

  /// Opens `outrider.db` of a storage directory.
  public init(directory: String) throws(DatabaseError) {
    let path = directory + "/outrider.db"
    if let following = try Self.openedForFollowing(path) {
      connection = following
    } else {
      connection = try Connection(path: path, access: .immutable)
    }
    // Who reads in order needs no more, and several may read at a time where memory is short. SQLite would take 2 MB.
    try connection.execute("PRAGMA cache_size = -512")
    try Self.check(connection, path)
  }

  /// Throws for a file that a writer has to bring up to date first. SQLite looks into the file only here.
  private static func check(_ connection: Connection, _ path: String) throws(DatabaseError) {
    func refusal(_ error: DatabaseError?, _ message: String) -> DatabaseError {
      DatabaseError(kind: .other, code: error?.code ?? 0, path: path, message: message)
    }
    let known: [String]
    do throws(DatabaseError) {
      known = try connection.rows("SELECT name FROM migration").compactMap { $0.first?.text }
    } catch {
      guard error.kind == .other else { throw error }
      throw refusal(error, "is no log of outrider")
    }
    guard LogSchema.neededToRead.allSatisfy({ known.contains($0) }) else {
      throw refusal(nil, "the log is of an older version; outrider run brings it up to date when it starts")
    }
  }

  /// Nil when this process may not make the companions of a log that was closed in good order, and then nobody writes
  /// to it (sqlite.org/wal.html, "Read-Only Databases").
  private static func openedForFollowing(_ path: String) throws(DatabaseError) -> Connection? {
    do throws(DatabaseError) {
      let connection = try Connection(path: path, access: .readOnly)
      _ = try connection.firstInteger("SELECT count(*) FROM sqlite_schema")
      return connection
    } catch {
      if error.kind == .unwritable { return nil }
      throw error
    }
  }

  /// How the log stands. Counts the queues, so it reads what is not acknowledged yet.
  public func status() throws(DatabaseError) -> LogStatus {
    var status = try LogQueries.status(connection)
    for row in try connection.rows("\(CursorRow.selection) ORDER BY destination") {
      guard let cursor = CursorRow(row) else {
        throw .damaged(path: connection.path, "the cursor of \(row[0].text ?? "?") fails its checksum")
      }
      let queued =
        try LogQueries.queued(connection, after: cursor.acknowledged)
        + LogQueries.queuedLate(connection, after: cursor.lateAcknowledged)
      status.destinations.append(
        LogStatus.Destination(
          name: cursor.destination, acknowledged: RecordID(cursor.acknowledged), queued: queued))
    }
    return status
  }

  /// Up to `limit` entries after an id, in order, undated ones included; those with a word of a later version are left
  /// out. Throws ``Database/DatabaseError/Kind/damaged`` for an entry that fails its checksum and where the order turns
  /// back: what is missing is never passed over.
  public func records(after id: RecordID, limit: Int) throws(DatabaseError) -> [StoredRecord] {
    let statement = try connection.statement(
      "SELECT \(RecordRow.columns) FROM record WHERE id > ? ORDER BY id")
    try statement.bind([.integer(id.rawValue)])
    defer { statement.reset() }
    var records: [StoredRecord] = []
    var last = id.rawValue
    while records.count < limit, try statement.step() {
      let row = statement.values
      guard let found = row.first?.id, found > last else {
        throw .damaged(path: connection.path, "the order of the records turns back behind \(last)")
      }
      last = found
      switch RecordRow.read(row) {
      case .record(let record, _): records.append(record)
      case .foreign: continue
      case .damaged: throw .damaged(path: connection.path, "record \(found) fails its checksum")
      }
    }
    return records
  }

  /// Reads on from the first entry that may be as late as `time`, page by page, until `take` answers false or the log
  /// ends. Entries before `time` and undated ones can be among them.
  public func read(from time: Timestamp, _ take: (StoredRecord) -> Bool) throws(DatabaseError) {
    var last = try lastID(before: time)
    while true {
      let page = try records(after: last, limit: 1000)
      guard let final = page.last else { return }
      last = final.id
      for record in page where !take(record) { return }
    }
  }

  /// The last id before which all dated entries are older than `time`; zero where there are none. A clock that was wrong
  /// for a while leaves a stretch of older dates behind younger ones: it is looked behind where what lies before it is at
  /// least a quarter as long. Looks at some hundred rows.
  public func lastID(before time: Timestamp) throws(DatabaseError) -> RecordID {
    let first = (try connection.firstID("SELECT min(id) FROM record") ?? 0) - 1
    var border = try border(
      of: time, from: first, through: try connection.firstID("SELECT max(id) FROM record") ?? 0)
    while let younger = try youngerID(than: time, before: border, after: first) {
      border = try self.border(of: time, from: first, through: younger - 1)
    }
    return RecordID(max(border, 0))
  }

  /// By bisection, as if the order were that of time.
  private func border(
    of time: Timestamp, from first: Int64, through last: Int64
  ) throws(DatabaseError) -> Int64 {
    var (low, high) = (first, max(last, first))
    while low < high {
      let middle = low + (high - low) / 2
      let found = try connection.firstInteger(
        "SELECT time_ms FROM record WHERE id > ? AND id <= ? AND time_ms IS NOT NULL ORDER BY id LIMIT 1",
        [.integer(middle), .integer(high)])
      if let found, found < time.milliseconds { low = middle + 1 } else { high = middle }
    }
    return low
  }

  /// An entry that is not older than `time`, looked for in strides that grow by a quarter.
  private func youngerID(
    than time: Timestamp, before border: Int64, after first: Int64
  ) throws(DatabaseError) -> Int64? {
    var stride: Int64 = 0
    while border - stride > first {
      let row = try connection.firstRow(
        "SELECT id, time_ms FROM record WHERE id > ? AND id <= ? AND time_ms IS NOT NULL ORDER BY id DESC LIMIT 1",
        [.integer(first), .integer(border - stride)])
      guard let row, let id = row[0].id, let found = row[1].integer else { return nil }
      if found >= time.milliseconds { return id }
      stride = border - id
      stride += max(1, stride / 4)
    }
    return nil
  }

  /// What the logger kept for its next start. Throws ``Database/DatabaseError/Kind/damaged`` for one that fails its
  /// checksum.
  public func notes() throws(DatabaseError) -> [NoteKey: String] {
    if let key = try NoteRow.damagedKeys(in: connection).first {
      throw .damaged(path: connection.path, "the note \(key) fails its checksum")
    }
    return try NoteRow.load(from: connection)
  }

  /// The newest location that can be read, dated or not.
  public func newestLocation() throws(DatabaseError) -> StoredRecord? {
    try LogQueries.newest(RecordRow.Kind.location, connection)
  }
}
