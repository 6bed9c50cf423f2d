import Database
import Glibc
import Records
import System

/// Replaces the log by its smaller copy.
///
/// A power cut after any step leaves a whole log under its name: before ``Step/rename`` the old one, closed and without
/// companions, afterwards the copy. Programs that have the old files open read on in them.
enum LogReplacement {
  /// The steps after ``complete(_:in:)``, in their order.
  enum Step: CaseIterable {
    /// The copy is durable before it gets the name of the log.
    case flushCopy
    /// The companions belong to the old file. SQLite would merge its write-ahead log into the new one. The index goes first: it
    /// would be evidence of a lost write-ahead log.
    case removeMarker, removeSharedMemory, removeWriteAheadLog, flushRemovals
    case rename, flushRename
    /// Those that a reader may have made between the removal and the rename.
    case removeNewCompanions
  }

  /// Closes the log into its file, and adds to the copy what was written since it was begun: later records and all other
  /// tables. False if a reader prevents the former; then nothing has changed.
  ///
  /// The caller makes sure that no record was changed or deleted since the copy was begun.
  static func complete(_ log: LogDatabase, in directory: StorageDirectory) throws(DatabaseError) -> Bool {
    guard try log.closeForReplacement() else { return false }
    let connection = log.connection
    try connection.run("ATTACH ? AS copy", [.text(directory.unfinished)])
    do throws(DatabaseError) {
      // An incomplete copy is discarded, so it needs no journal in the directory.
      try connection.execute("PRAGMA copy.journal_mode = MEMORY; PRAGMA copy.synchronous = OFF")
      try connection.transaction { () throws(DatabaseError) in
        for table in ["late", "gap", "held", "cursor", "boot", "state", "note"] {
          try connection.execute(
            "DELETE FROM copy.\(table); INSERT INTO copy.\(table) SELECT * FROM main.\(table)")
        }
        try connection.execute(
          """
          INSERT INTO copy.record SELECT * FROM main.record
          WHERE id > (SELECT ifnull(max(id), 0) FROM copy.record)
          """)
      }
      guard try connection.hasSameRecords() else {
        throw DatabaseError(
          kind: .other, code: 0, path: directory.unfinished, message: "the copy of the log is not complete")
      }
      try connection.execute("DETACH copy")
    } catch {
      try? connection.execute("DETACH copy")
      throw error
    }
    return true
  }

  /// Performs one step.
  static func perform(_ step: Step, in directory: StorageDirectory) throws(StoreError) {
    switch step {
    case .flushCopy: try directory.flushFile(directory.unfinished)
    case .removeMarker: OpenMarker(database: directory.database).remove()
    case .removeWriteAheadLog: try directory.remove(directory.writeAheadLog)
    case .removeSharedMemory: try directory.remove(directory.sharedMemory)
    case .flushRemovals, .flushRename: try directory.flush()
    case .rename:
      guard Glibc.rename(directory.unfinished, directory.database) == 0 else {
        throw StorageDirectory.failure("rename", directory.unfinished)
      }
    case .removeNewCompanions:
      try directory.remove(directory.writeAheadLog)
      try directory.remove(directory.sharedMemory)
    }
  }
}

extension Connection {
  /// True if the attached copy has the same first and last record as the log. Counting would read both files.
  fileprivate func hasSameRecords() throws(DatabaseError) -> Bool {
    let ends = "SELECT (SELECT min(id) FROM copy.record) IS (SELECT min(id) FROM main.record)"
    return try firstInteger(
      "\(ends) AND (SELECT max(id) FROM copy.record) IS (SELECT max(id) FROM main.record)") == 1
  }
}

extension StorageDirectory {
  /// Makes the content of a file durable (fsync(2)).
  func flushFile(_ path: String) throws(StoreError) {
    let opened = Glibc.open(path, O_RDONLY | O_NONBLOCK | O_CLOEXEC | O_NOFOLLOW)
    guard opened >= 0 else { throw Self.failure("open", path) }
    let file = Descriptor(owning: opened)
    guard fsync(file.raw) == 0 else { throw Self.failure("fsync", path) }
  }
}
