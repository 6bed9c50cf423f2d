import Database
import Glibc
import Records
import System

extension Salvage {
  /// Creates the log again under its name from the open log, whose files were deleted or replaced.
  ///
  /// A deleted file is readable as long as it is open. `log` stays open; the caller abandons it.
  ///
  /// The whole log is copied. If that fails, for instance because the disk is full, the records that a destination
  /// has not acknowledged are copied; if that fails, too, none. Files of that name that do not belong to
  /// the open log are renamed.
  static func recreate(
    in directory: StorageDirectory, from log: LogDatabase, cause: String
  ) throws(StoreError) -> Outcome {
    let floor = (try? StateRow.load(.floor, from: log.connection)).flatMap { $0 } ?? 0
    let ids = (floor + 1)...max(floor + 1, log.lastID.rawValue)
    let gaps = (try? LogQueries.missingIDs(log.connection, within: ids)) ?? 0
    let present = max(0, log.lastID.rawValue - floor - gaps)
    var report = SalvageReport(cause: cause, setAside: "", records: 0, missing: 0, interruption: nil)
    report.isDamage = false
    do throws(StoreError) {
      try copyWhole(log, in: directory)
      report.records = present
    } catch {
      report.interruption = "\(error)"
      report.records = try copyUnacknowledged(log, in: directory)
      report.missing = max(0, present - report.records)
    }
    if log.fileIdentity.namesDatabase { try directory.remove(directory.database) }
    if log.fileIdentity.namesWriteAheadLog { try directory.remove(directory.writeAheadLog) }
    if directory.exists(directory.database) || directory.exists(directory.writeAheadLog) {
      report.setAside = try directory.setAside()
    }
    try directory.remove(directory.sharedMemory)
    try replaceMissing(in: directory)
    return Outcome(report: report, events: events(report, gaps: "\(report.missing) acknowledged records"))
  }

  private static func copyWhole(_ log: LogDatabase, in directory: StorageDirectory) throws(StoreError) {
    try removeUnfinished(in: directory)
    // SQLite itself would create a file that everyone can read.
    makeUnfinished(in: directory)
    do throws(DatabaseError) {
      try log.connection.run("VACUUM INTO ?", [.text(directory.unfinished)])
    } catch { throw .database(error) }
    try directory.flushFile(directory.unfinished)
    try directory.move(directory.unfinished, to: directory.finished)
    try directory.flush()
  }

  /// Copies the readable unacknowledged records, and returns their number.
  private static func copyUnacknowledged(
    _ log: LogDatabase, in directory: StorageDirectory
  ) throws(StoreError) -> Int64 {
    var copied: Int64 = 0
    do throws(StoreError) {
      try removeUnfinished(in: directory)
      try fill(directory) { connection throws(DatabaseError) in
        copied = try copyUnacknowledged(log, to: connection)
      }
    } catch {
      copied = 0
      try removeUnfinished(in: directory)
      try fill(directory) { _ throws(DatabaseError) in }
    }
    return copied
  }

  private static func copyUnacknowledged(_ log: LogDatabase, to connection: Connection) throws(DatabaseError)
    -> Int64
  {
    let (acknowledged, late) = log.queues.acknowledgedByAll ?? (0, 0)
    var copied: Int64 = 0
    try connection.transaction { () throws(DatabaseError) in
      for cursor in log.queues.cursors.values { try cursor.save(to: connection) }
      try log.boot.save(to: connection)
      for row in (try? log.connection.rows(BootRow.selection)) ?? [] {
        guard let boot = BootRow(row), boot.number != log.boot.number else { continue }
        try boot.save(to: connection)
      }
      for (key, text) in (try? SavedStateRow.load(from: log.connection)) ?? [:] {
        try SavedStateRow.save(key, text, to: connection)
      }
      let insert = { (row: [ColumnValue]) throws(DatabaseError) in
        guard RecordRow.isWhole(row), let id = row[0].id else { return }
        try connection.run(RecordRow.insertion, row)
        copied += 1
        guard row[6] == .integer(1), row[1] != .integer(RecordRow.Kind.event) else { return }
        try connection.run("INSERT OR IGNORE INTO late (id) VALUES (?)", [.integer(id)])
      }
      for row in (try? log.connection.rows(HeldRow.selection)) ?? [] {
        try HeldRow(row)?.save(to: connection)
      }
      let heldOnes =
        "id IN (SELECT id FROM held) AND id NOT IN (SELECT id FROM late) AND id > ?1 AND id <= ?2"
      try read(log, after: 0, through: acknowledged, where: heldOnes, insert)
      let lateOnes = "id IN (SELECT id FROM late) AND id > ?1 AND id <= ?2"
      try read(log, after: late, through: acknowledged, where: lateOnes, insert)
      try read(log, after: acknowledged, through: log.lastID.rawValue, where: "id > ?1 AND id <= ?2", insert)
      let count = try GapCount(connection, floor: nil, highest: log.lastID.rawValue)
      try count.save(to: connection)
      try StateRow.save(.floor, count.first - 1, to: connection)
    }
    return copied
  }

  /// Limit of the attempts to continue after an unreadable page.
  private static let mostAttempts = 10_000

  /// Passes the rows of a range to `take` in the order of their ids. After an unreadable page it continues with the
  /// next ids, at first one by one.
  private static func read(
    _ log: LogDatabase, after first: Int64, through last: Int64, where condition: String,
    _ take: ([ColumnValue]) throws(DatabaseError) -> Void
  ) throws(DatabaseError) {
    guard
      let source = try? log.connection.statement(
        "SELECT \(RecordRow.columns) FROM record WHERE \(condition) ORDER BY id")
    else { return }
    var passed = first
    var attempts: Int64 = 0
    while passed < last, attempts < mostAttempts {
      try source.bind([.integer(passed), .integer(last)])
      defer { source.reset() }
      var isAtEnd = false
      while true {
        guard let hasRow = try? source.step() else { break }
        guard hasRow else {
          isAtEnd = true
          break
        }
        let row = source.values
        try take(row)
        passed = max(passed, row[0].id ?? passed)
      }
      if isAtEnd { return }
      attempts += 1
      passed += 1 + attempts / 100
    }
  }
}
