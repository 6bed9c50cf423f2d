import Database
import Quantities
import Records

/// Reads the log from another process, whether the logger runs or not. Never writes and never blocks the logger.
public final class LogReader {
  private let connection: Connection
  /// The columns of a record, with null for those that a log of an older version lacks.
  private let columns: String
  private let hasPlaceIndex: Bool
  private let hasHeldRecords: Bool

  /// Opens `outrider.db` of a storage directory.
  public init(directory: String) throws(DatabaseError) {
    let path = directory + "/outrider.db"
    if let following = try Self.openedForFollowing(path) {
      connection = following
    } else {
      connection = try Connection(path: path, access: .immutable)
    }
    // Sequential reading needs no more, and several readers may share little memory. SQLite's default is 2 MB.
    try connection.execute("PRAGMA cache_size = -512")
    let known = try Self.migrations(of: connection, path)
    columns = known.contains(LogSchema.eventFields) ? RecordRow.columns : RecordRow.columnsWithoutFields
    hasPlaceIndex = known.contains(LogSchema.placeIndex)
    hasHeldRecords = known.contains(LogSchema.heldRecords)
  }

  /// The names of the migrations of a log. Throws for a file that is not a log, or has to be upgraded first. SQLite reads
  /// the file only here.
  private static func migrations(of connection: Connection, _ path: String) throws(DatabaseError) -> [String]
  {
    func refusal(_ error: DatabaseError?, _ message: String) -> DatabaseError {
      DatabaseError(kind: .other, code: error?.code ?? 0, path: path, message: message)
    }
    let known: [String]
    do throws(DatabaseError) {
      known = try connection.rows("SELECT name FROM migration").compactMap { $0.first?.text }
    } catch {
      guard error.kind == .other else { throw error }
      throw refusal(error, "not an Outrider log")
    }
    guard LogSchema.neededToRead.allSatisfy({ known.contains($0) }) else {
      throw refusal(nil, "the log was written by an older version; outrider run upgrades it when it starts")
    }
    return known
  }

  /// A connection that follows a writer.
  ///
  /// Nil if the log was closed and this process may not create its companion files; then nothing writes to the log
  /// (sqlite.org/wal.html, "Read-Only Databases").
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

  /// The status of the log. Counts the queues, so it reads all records that are not acknowledged.
  public func status() throws(DatabaseError) -> LogStatus {
    var status = try LogQueries.status(connection)
    status.newestLocation = try newestLocation()
    status.newestEvent = try LogQueries.newest(RecordRow.Kind.event, connection, columns: columns)
    for row in try connection.rows("\(CursorRow.selection) ORDER BY destination") {
      guard let cursor = CursorRow(row) else {
        throw .damaged(path: connection.path, "the cursor of \(row[0].text ?? "?") fails its checksum")
      }
      let queued =
        try LogQueries.queued(connection, after: cursor.acknowledged)
        + LogQueries.queuedLate(connection, after: cursor.lateAcknowledged)
        + (hasHeldRecords ? LogQueries.held(connection, by: cursor.destination) : 0)
      status.destinations.append(
        LogStatus.Destination(
          name: cursor.destination, acknowledged: RecordID(cursor.acknowledged), queued: queued))
    }
    return status
  }

  /// Returns up to `limit` records after an id, in order, undated ones included.
  ///
  /// Skips records with values of a later version. Throws ``Database/DatabaseError/Kind/damaged`` for a damaged record,
  /// for records out of order, and for missing ones that the log does not know as lost, so that a loss never goes
  /// unnoticed. The check of the logger makes them known.
  public func records(after id: RecordID, limit: Int) throws(DatabaseError) -> [StoredRecord] {
    let statement = try connection.statement(
      "SELECT \(columns) FROM record WHERE id > ? ORDER BY id")
    try statement.bind([.integer(id.rawValue)])
    var records: [StoredRecord] = []
    var last = id.rawValue
    var holes: [Gap] = []
    defer { statement.reset() }
    while records.count < limit, try statement.step() {
      let row = statement.values
      guard let found = row.first?.id, found > last else {
        throw .damaged(path: connection.path, "the records are out of order after id \(last)")
      }
      if found > last + 1 { holes.append(Gap(first: last + 1, last: found - 1)) }
      last = found
      switch RecordRow.read(row) {
      case .record(let record, _): records.append(record)
      case .foreign: continue
      case .damaged: throw .damaged(path: connection.path, "record \(found) fails its checksum")
      }
    }
    try requireKnown(holes)
    return records
  }

  /// Throws if ids without a record are neither before the floor of retention nor in a known gap.
  private func requireKnown(_ holes: [Gap]) throws(DatabaseError) {
    guard !holes.isEmpty, let floor = try StateRow.load(.floor, from: connection) else { return }
    let above = holes.filter { $0.last > floor }.map { Gap(first: max($0.first, floor + 1), last: $0.last) }
    guard let missing = try Gap.unknown(of: above, connection).first else { return }
    throw .damaged(
      path: connection.path,
      missing.first == missing.last
        ? "record \(missing.first) is missing" : "records \(missing.first) to \(missing.last) are missing")
  }

  /// Passes records to `take`, starting with the first that may be as late as `time`, until `take` returns false or
  /// the log ends. Older and undated records may be among them.
  public func read(from time: Timestamp, _ take: (StoredRecord) -> Bool) throws(DatabaseError) {
    try read(after: try lastID(before: time), take)
  }

  /// Passes the records after an id to `take`, until `take` returns false or the log ends.
  public func read(after id: RecordID, _ take: (StoredRecord) -> Bool) throws(DatabaseError) {
    var last = id
    while true {
      let page = try records(after: last, limit: 1000)
      guard let final = page.last else { return }
      last = final.id
      for record in page where !take(record) { return }
    }
  }

  /// The last id up to which all dated records are older than `time`; zero if there are none.
  ///
  /// A clock that was temporarily wrong leaves a run of records with dates that are too old. The search passes such a
  /// run if the records before it are at least a quarter as many. It reads some hundred rows.
  public func lastID(before time: Timestamp) throws(DatabaseError) -> RecordID {
    let first = (try connection.firstID("SELECT min(id) FROM record") ?? 0) - 1
    var boundary = try boundary(
      of: time, from: first, through: try connection.firstID("SELECT max(id) FROM record") ?? 0)
    while let younger = try youngerID(than: time, before: boundary, after: first) {
      boundary = try self.boundary(of: time, from: first, through: younger - 1)
    }
    return RecordID(max(boundary, 0))
  }

  /// Finds a time by bisection, as if the records were in order of time.
  private func boundary(
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

  /// The id of a record that is not older than `time`, searched in steps that grow by a quarter.
  private func youngerID(
    than time: Timestamp, before boundary: Int64, after first: Int64
  ) throws(DatabaseError) -> Int64? {
    var stride: Int64 = 0
    while boundary - stride > first {
      let row = try connection.firstRow(
        "SELECT id, time_ms FROM record WHERE id > ? AND id <= ? AND time_ms IS NOT NULL ORDER BY id DESC LIMIT 1",
        [.integer(first), .integer(boundary - stride)])
      guard let row, let id = row[0].id, let found = row[1].integer else { return nil }
      if found >= time.milliseconds { return id }
      stride = boundary - id
      stride += max(1, stride / 4)
    }
    return nil
  }

  /// The texts that the logger saved for its next start.
  ///
  /// Throws ``Database/DatabaseError/Kind/damaged`` if one fails its checksum.
  public func savedStates() throws(DatabaseError) -> [SavedStateKey: String] {
    if let key = try SavedStateRow.damagedKeys(in: connection).first {
      throw .damaged(path: connection.path, "the saved state of \(key) fails its checksum")
    }
    return try SavedStateRow.load(from: connection)
  }

  /// The newest events among the last `span` records, at most `limit`, the newest last. Damaged records are skipped.
  public func newestEvents(among span: Int64, limit: Int) throws(DatabaseError) -> [StoredRecord] {
    let last = try connection.firstInteger("SELECT max(id) FROM record") ?? 0
    let statement = try connection.statement(
      "SELECT \(columns) FROM record WHERE id > ? AND kind = ? ORDER BY id DESC LIMIT ?")
    try statement.bind([
      .integer(max(last - span, 0)), .integer(RecordRow.Kind.event), .integer(Int64(clamping: limit)),
    ])
    defer { statement.reset() }
    var events: [StoredRecord] = []
    while try statement.step() {
      if case .record(let record, _) = RecordRow.read(statement.values) { events.append(record) }
    }
    return events.reversed()
  }

  /// The first and the last id; nil while the log is empty.
  public func ids() throws(DatabaseError) -> ClosedRange<RecordID>? {
    guard let first = try connection.firstID("SELECT min(id) FROM record"),
      let last = try connection.firstID("SELECT max(id) FROM record"), first <= last
    else { return nil }
    return RecordID(first)...RecordID(last)
  }

  /// The first dated record after an id and through another one; nil if there is none. Reads one row for each undated
  /// record before it.
  public func firstDated(
    after id: RecordID, through last: RecordID
  ) throws(DatabaseError) -> (id: RecordID, time: Timestamp)? {
    let row = try connection.firstRow(
      "SELECT id, time_ms FROM record WHERE id > ? AND id <= ? AND time_ms IS NOT NULL ORDER BY id LIMIT 1",
      [.integer(id.rawValue), .integer(last.rawValue)])
    guard let row, let found = row[0].id, let time = row[1].integer else { return nil }
    return (RecordID(found), Timestamp(milliseconds: time))
  }

  /// The last dated record through an id; nil if there is none. Reads one row for each undated record after it.
  public func lastDated(through id: RecordID) throws(DatabaseError) -> (id: RecordID, time: Timestamp)? {
    let row = try connection.firstRow(
      "SELECT id, time_ms FROM record WHERE id <= ? AND time_ms IS NOT NULL ORDER BY id DESC LIMIT 1",
      [.integer(id.rawValue)])
    guard let row, let found = row[0].id, let time = row[1].integer else { return nil }
    return (RecordID(found), Timestamp(milliseconds: time))
  }

  /// The last dated location through an id, among the `span` ids before it; nil if there is none.
  public func lastLocation(
    through id: RecordID, among span: Int64
  ) throws(DatabaseError) -> (id: RecordID, time: Timestamp)? {
    let row = try connection.firstRow(
      """
      SELECT id, time_ms FROM record WHERE id > ? AND id <= ? AND kind = ? AND time_ms IS NOT NULL
      ORDER BY id DESC LIMIT 1
      """,
      [.integer(max(id.rawValue - span, 0)), .integer(id.rawValue), .integer(RecordRow.Kind.location)])
    guard let row, let found = row[0].id, let time = row[1].integer else { return nil }
    return (RecordID(found), Timestamp(milliseconds: time))
  }

  /// The number of ended trips with their distance in mm, and of arrivals, among the records after an id and through another
  /// one. Nil for a log without the index of these records. Checksums are not verified.
  public func places(
    after id: RecordID, through last: RecordID
  ) throws(DatabaseError) -> (trips: Int, millimetres: Int64, arrivals: Int)? {
    guard hasPlaceIndex else { return nil }
    let span = [ColumnValue.integer(id.rawValue), .integer(last.rawValue)]
    let among = "FROM record WHERE \(LogSchema.isPlace) AND id > ? AND id <= ? AND kind ="
    let trips = try connection.firstRow(
      "SELECT count(*), CAST(min(total(max(value, 0)), 9e15) AS INTEGER) \(among) \(RecordRow.Kind.trip)",
      span)
    let arrivals = try connection.firstInteger(
      "SELECT count(*) \(among) \(RecordRow.Kind.visit) AND json_extract(detail, '$.departure') IS NULL",
      span)
    return (
      Int(clamping: trips?[0].integer ?? 0), trips?[1].integer ?? 0, Int(clamping: arrivals ?? 0)
    )
  }

  /// The newest intact trip.
  public func newestTrip() throws(DatabaseError) -> StoredRecord? {
    try LogQueries.newest(RecordRow.Kind.trip, connection, columns: columns)
  }

  /// True if a trip started within the second of `start`: one that has ended, or one with locations.
  public func hasTrip(startingAt start: Timestamp) throws(DatabaseError) -> Bool {
    let before = try lastID(before: start).rawValue
    let second = Timestamp(milliseconds: start.milliseconds &- start.milliseconds % 1000)
    // The locations of a trip begin with it.
    let location = try connection.firstInteger(
      "SELECT 1 FROM record WHERE id > ? AND id <= ? AND trip_ms >= ? AND trip_ms < ? LIMIT 1",
      [
        .integer(before), .integer(before + Self.tripSpan), .integer(second.milliseconds),
        .integer(second.milliseconds &+ 1000),
      ])
    if location != nil { return true }
    let statement = try connection.statement(
      "SELECT \(columns) FROM record WHERE \(LogSchema.isPlace) AND kind = ? AND id > ? ORDER BY id LIMIT 20")
    try statement.bind([.integer(RecordRow.Kind.trip), .integer(before)])
    defer { statement.reset() }
    while try statement.step() {
      guard case .record(let stored, _) = RecordRow.read(statement.values),
        case .trip(let trip) = stored.record.body, let time = trip.start.time
      else { continue }
      if time >= second, time < second + .seconds(1) { return true }
    }
    return false
  }

  /// The number of records after the start of a trip among which its first location is.
  private static let tripSpan: Int64 = 2000

  /// The ids at which boots start, after an id and through another one, at most `limit`, in order.
  public func bootStarts(
    after id: RecordID, through last: RecordID, limit: Int
  ) throws(DatabaseError) -> [RecordID] {
    try connection.rows(
      "SELECT first_id FROM boot WHERE first_id > ? AND first_id <= ? ORDER BY first_id LIMIT ?",
      [.integer(id.rawValue), .integer(last.rawValue), .integer(Int64(clamping: limit))]
    ).compactMap { $0.first?.integer.map(RecordID.init) }
  }

  /// The newest intact location, dated or not.
  public func newestLocation() throws(DatabaseError) -> StoredRecord? {
    try LogQueries.newest(RecordRow.Kind.location, connection, columns: columns)
  }
}
