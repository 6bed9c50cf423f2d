import Database
import Glibc
import Records
import SystemLoop

extension LogDatabase {
  /// Opens the log of a directory, makes it when there is none, and checks it when it was not closed.
  ///
  /// A damaged log is salvaged and set aside, so this throws only when the directory cannot be written.
  /// `distrust` names a reason to salvage at once. No id up to `idFloor` is given again.
  public static func open(
    _ directory: StorageDirectory, options: LogOptions, idFloor: Int64 = 0, distrust: String? = nil
  ) throws(StoreError) -> (log: LogDatabase, report: OpeningReport) {
    try Salvage.finishInterrupted(in: directory)
    var cause = distrust
    if cause == nil {
      switch try examine(directory) {
      case .missing:
        try Salvage.createEmpty(in: directory)
        let log = try opened(directory, options, idFloor)
        return (log, try log.report(.created))
      case .damaged(let reason): cause = reason
      case .openable:
        switch try checked(directory, options, idFloor) {
        case .sound(let log, let isClean): return (log, try log.report(isClean ? .clean : .unclean))
        case .damaged(let reason): cause = reason
        }
      }
    }
    let salvage = try Salvage.replaceLog(in: directory, cause: cause ?? "", idFloor: idFloor)
    let log = try opened(directory, options, idFloor)
    do throws(DatabaseError) {
      _ = try log.append(salvage.events.map { log.note($0.kind, $0.detail, value: $0.value ?? 0) })
    } catch { throw .database(error) }
    return (log, try log.report(.salvaged(salvage.report)))
  }

  private enum Examination {
    case missing, openable
    case damaged(String)
  }

  /// Looks at the files before SQLite does, which would throw the write-ahead log of an empty file away.
  private static func examine(_ directory: StorageDirectory) throws(StoreError) -> Examination {
    var facts = stat()
    guard lstat(directory.database, &facts) == 0 else {
      guard errno == ENOENT else { throw StorageDirectory.failure("lstat", directory.database) }
      let orphan = PagedFile(directory.writeAheadLog).map { $0.size > WriteAheadLog.headerSize } ?? false
      return orphan ? .damaged("the file is gone, its write-ahead log is left") : .missing
    }
    guard facts.st_mode & S_IFMT == S_IFREG else { return .damaged("not a file") }
    guard let file = PagedFile(directory.database) else {
      throw StorageDirectory.failure("open", directory.database)
    }
    var header = [UInt8](repeating: 0, count: 16)
    guard file.read(into: &header, at: 0), header == Array("SQLite format 3\0".utf8) else {
      return .damaged(file.size == 0 ? "the file is empty" : "the file does not begin as a database")
    }
    if let log = PagedFile(directory.writeAheadLog), log.size > 0, WriteAheadLog(log).isDamaged {
      return .damaged("the write-ahead log is broken before its end")
    }
    return .openable
  }

  private enum Check {
    case sound(LogDatabase, isClean: Bool)
    case damaged(String)
  }

  private static func checked(_ directory: StorageDirectory, _ options: LogOptions, _ idFloor: Int64)
    throws(StoreError) -> Check
  {
    var connection: Connection?
    do throws(DatabaseError) {
      let opened = try Connection(path: directory.database)
      connection = opened
      // Absent in a log that was made and never opened.
      let isClean = try StateRow.load(.open, from: opened) ?? 0 == 0
      if !isClean, let damage = try opened.findDamage() {
        throw .damaged(path: directory.database, damage)
      }
      let log = try LogDatabase(opened, bootID: options.bootID, idFloor: idFloor, clock: options.clock)
      try log.requireColumns()
      return .sound(log, isClean: isClean)
    } catch {
      // Closing would otherwise write the log into the damaged file.
      connection?.keepLogOnClose()
      switch error.kind {
      // A file of SQLite without our tables is no log either.
      case .damaged, .other: return .damaged(error.message)
      case .full, .unwritable, .busy: throw .database(error)
      }
    }
  }

  /// Throws where a table lacks a column: a flipped bit in the text of the schema is no damage to SQLite.
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

  private func report(_ condition: OpeningReport.Condition) throws(StoreError) -> OpeningReport {
    do throws(DatabaseError) {
      return OpeningReport(
        condition: condition, boot: boot.number, bootOffset: boot.offset, lastID: lastID,
        newestLocation: try newestLocation(), notes: try NoteRow.load(from: connection))
    } catch { throw .database(error) }
  }
}
