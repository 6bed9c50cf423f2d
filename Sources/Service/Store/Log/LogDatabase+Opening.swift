import Database
import Glibc
import Records

extension LogDatabase {
  /// Opens the log of a directory, creates it if it does not exist, and checks it if it was not closed.
  ///
  /// A damaged log is salvaged and its file renamed, so this throws only if the directory cannot be written.
  /// `distrust` is a reason to salvage the log without a check. Ids up to `idFloor` are not assigned again.
  public static func open(
    _ directory: StorageDirectory, options: LogOptions, idFloor: Int64 = 0, distrust: String? = nil
  ) throws(StoreError) -> (log: LogDatabase, report: OpeningReport) {
    try Salvage.finishInterrupted(in: directory)
    var cause = distrust
    if cause == nil {
      switch try examine(directory) {
      case .missing:
        try Salvage.createEmpty(in: directory)
        return try reported(try opened(directory, options, idFloor), .created)
      case .damaged(let reason): cause = reason
      case .openable(let evidence):
        switch try checked(directory, options, idFloor, evidence) {
        case .sound(let log, let report): return (log, report)
        case .damaged(let reason): cause = reason
        }
      }
    }
    let salvage = try Salvage.replaceLog(in: directory, cause: cause ?? "", idFloor: idFloor)
    return try open(directory, options: options, idFloor: idFloor, after: salvage)
  }

  /// Opens a log that has just replaced another, and stores the reason as events.
  static func open(
    _ directory: StorageDirectory, options: LogOptions, idFloor: Int64, after salvage: Salvage.Outcome
  ) throws(StoreError) -> (log: LogDatabase, report: OpeningReport) {
    let log = try opened(directory, options, idFloor)
    do throws(DatabaseError) {
      _ = try log.append(salvage.events.map(log.record))
    } catch { throw .database(error) }
    return try reported(log, .salvaged(salvage.report))
  }

  private enum Examination {
    case missing
    case openable(WriteAheadLogLoss.Evidence)
    case damaged(String)
  }

  /// Examines the files before SQLite opens them, which would discard the write-ahead log of an empty file.
  private static func examine(_ directory: StorageDirectory) throws(StoreError) -> Examination {
    var facts = stat()
    guard lstat(directory.database, &facts) == 0 else {
      guard errno == ENOENT else { throw StorageDirectory.failure("lstat", directory.database) }
      let orphan = PagedFile(directory.writeAheadLog).map { $0.size > WriteAheadLog.headerSize } ?? false
      return orphan ? .damaged("the database file is missing, but its write-ahead log exists") : .missing
    }
    guard facts.st_mode & S_IFMT == S_IFREG else { return .damaged("not a regular file") }
    guard let file = PagedFile(directory.database) else {
      throw StorageDirectory.failure("open", directory.database)
    }
    var header = [UInt8](repeating: 0, count: DatabaseHeader.size)
    guard file.read(into: &header, at: 0), let header = DatabaseHeader(header) else {
      return .damaged(file.size == 0 ? "the file is empty" : "the file has no SQLite header")
    }
    var writeAheadLog: WriteAheadLog?
    if let log = PagedFile(directory.writeAheadLog), log.size > 0 { writeAheadLog = WriteAheadLog(log) }
    if writeAheadLog?.isDamaged ?? false { return .damaged("the write-ahead log is damaged before its end") }
    // A write-ahead log may contain the pages that are missing in the file.
    if writeAheadLog == nil, let lack = header.lack(in: file.size) { return .damaged(lack) }
    return .openable(WriteAheadLogLoss.Evidence(directory, log: writeAheadLog))
  }

  private enum Check {
    /// The log can be used.
    case sound(LogDatabase, OpeningReport)
    case damaged(String)
  }

  private static func checked(
    _ directory: StorageDirectory, _ options: LogOptions, _ idFloor: Int64,
    _ evidence: WriteAheadLogLoss.Evidence
  ) throws(StoreError) -> Check {
    var connection: Connection?
    do throws(DatabaseError) {
      let opened = try Connection(path: directory.database)
      connection = opened
      let marked = OpenMarker(database: directory.database).content
      let isClean = try wasClosed(opened, marked)
      if !isClean, let damage = try opened.findDamage() {
        throw .damaged(path: directory.database, damage)
      }
      let lastBoot = try opened.firstRow("\(BootRow.selection) ORDER BY number DESC LIMIT 1")
      // The row of the boot may have been lost with the write-ahead log.
      let isSameBoot = [lastBoot.flatMap { BootRow($0) }?.bootID, marked?.bootID].contains(options.bootID)
      let exact = WriteAheadLogLoss.find(isSameBoot: isSameBoot, evidence: evidence)
      let log = try LogDatabase(opened, bootID: options.bootID, idFloor: idFloor, clock: options.clock)
      try log.requireColumns()
      var loss: EventRecord?
      if let exact {
        loss = exact.event(after: log.lastID)
      } else if !isClean, evidence.isGone {
        loss = WriteAheadLogLoss.event(withoutIndexAfter: log.lastID)
      }
      // Both meet damage that the check of a log that was closed leaves to the time after the start.
      var report = try log.report(isClean ? .clean : .unclean)
      if let loss {
        report.loss = loss.detail
        _ = try log.append([log.record(loss)])
        report.lastID = log.lastID
      }
      return .sound(log, report)
    } catch {
      // Otherwise closing would write the write-ahead log into the damaged file.
      connection?.keepLogOnClose()
      switch error.kind {
      // An SQLite file without the log's tables is not a log either.
      case .damaged, .other: return .damaged(error.message)
      case .full, .unwritable, .busy: throw .database(error)
      }
    }
  }

  /// True if the log was closed. A log that seems closed only because its write-ahead log is missing was not.
  private static func wasClosed(
    _ connection: Connection, _ marked: OpenMarker.Content?
  ) throws(DatabaseError) -> Bool {
    // Absent in a log that was created and never opened.
    guard try StateRow.load(.open, from: connection) ?? 0 == 0 else { return false }
    guard let marked else { return true }
    return try LogDatabase.highestID(in: connection, cursors: CursorRow.loadAll(from: connection))
      > marked.lastID
  }

  /// Throws if a table lacks a column: SQLite does not detect a flipped bit in the schema's text.
  private func requireColumns() throws(DatabaseError) {
    let tables = [
      ("record", RecordRow.columns), ("late", "id"), ("gap", "first, last, crc"),
      ("note", "key, text, crc"), ("state", "key, value, crc"),
    ]
    for (table, columns) in tables {
      _ = try connection.rows("SELECT \(columns) FROM \(table) LIMIT 0")
    }
  }

  private static func opened(_ directory: StorageDirectory, _ options: LogOptions, _ idFloor: Int64)
    throws(StoreError) -> LogDatabase
  {
    do throws(DatabaseError) {
      return try LogDatabase(
        Connection(path: directory.database), bootID: options.bootID, idFloor: idFloor, clock: options.clock)
    } catch { throw .database(error) }
  }

  private static func reported(
    _ log: LogDatabase, _ condition: OpeningReport.Condition
  ) throws(StoreError) -> (log: LogDatabase, report: OpeningReport) {
    do throws(DatabaseError) { return (log, try log.report(condition)) } catch { throw .database(error) }
  }

  private func report(_ condition: OpeningReport.Condition) throws(DatabaseError) -> OpeningReport {
    OpeningReport(
      condition: condition, boot: boot.number, bootOffset: boot.offset, lastID: lastID,
      newestLocation: try newestLocation(), lastTime: lastTime(),
      savedStates: try SavedStateRow.load(from: connection))
  }
}

extension WriteAheadLogLoss {
  /// The event, with the bound of the loss.
  fileprivate func event(after id: RecordID) -> EventRecord {
    EventRecord(
      .recordsMissing,
      [
        .cause: isGone ? "wal_gone" : "wal_cut", .record: .integer(id.rawValue),
        .pages: .integer(Int64(pages)), .totalPages: .integer(Int64(outOf)),
        .bytes: .integer(Int64(pages * LogSchema.pageSize)),
      ])
  }

  /// The event for a write-ahead log of unknown size, because its index is missing; its limit is the bound.
  fileprivate static func event(withoutIndexAfter id: RecordID) -> EventRecord {
    EventRecord(
      .recordsMissing,
      [
        .cause: "wal_gone_without_index", .record: .integer(id.rawValue),
        .bytes: .integer(Int64(LogSchema.walLimit)),
      ])
  }
}
