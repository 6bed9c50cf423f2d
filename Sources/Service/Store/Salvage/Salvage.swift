import Database
import Glibc
import Records
import System

/// Copies the readable records of a damaged log into a new log.
///
/// The new file is filled under another name and then renamed to the name of the log. A power cut at any point leaves
/// either the damaged log, which is salvaged again, or the complete new one.
enum Salvage {
  /// The result of a replacement of the log.
  struct Outcome {
    var report: SalvageReport
    /// The events for the new log.
    var events: [EventRecord]
  }

  /// Finishes a replacement that a crash interrupted.
  static func finishInterrupted(in directory: StorageDirectory) throws(StoreError) {
    try removeUnfinished(in: directory)
    guard directory.exists(directory.finished) else { return }
    _ = try replace(in: directory)
  }

  static func removeUnfinished(in directory: StorageDirectory) throws(StoreError) {
    for suffix in ["", "-wal", "-shm"] { try directory.remove(directory.unfinished + suffix) }
  }

  /// Creates the empty file of a new log. SQLite gives the other files of a database the owner and mode of the first one.
  static func makeUnfinished(in directory: StorageDirectory) {
    let made = open(
      directory.unfinished, O_WRONLY | O_CREAT | O_CLOEXEC | O_NOFOLLOW | O_NONBLOCK, FileMode.data)
    guard made >= 0 else { return }
    let file = Descriptor(owning: made)
    file.setDataMode()
    file.giveToOwner(of: directory.path)
  }

  /// Creates a log without records.
  static func createEmpty(in directory: StorageDirectory) throws(StoreError) {
    try fill(directory) { connection throws(DatabaseError) in
      try connection.transaction { () throws(DatabaseError) in try StateRow.save(.floor, 0, to: connection) }
    }
    try replaceMissing(in: directory)
  }

  /// Copies the readable records into a new log, sets the damaged files aside and replaces them by the new log.
  static func replaceLog(in directory: StorageDirectory, cause: String, idFloor: Int64) throws(StoreError)
    -> Outcome
  {
    var pass: SalvagePass?
    var interruption: String?
    do throws(StoreError) {
      try fill(directory) { connection throws(DatabaseError) in
        let started = SalvagePass(directory, connection)
        try started.run(idFloor: idFloor)
        pass = started
      }
    } catch {
      // The copy failed, for instance because the disk is full. The new log starts empty; the damaged file is kept.
      interruption = "\(error)"
      pass = nil
      try removeUnfinished(in: directory)
      try fill(directory) { _ throws(DatabaseError) in }
    }
    let setAside = try replace(in: directory)
    let report = SalvageReport(
      cause: cause, setAside: setAside, records: pass?.records ?? 0, missing: pass?.missing ?? 0,
      interruption: interruption ?? pass?.interruption, renumbered: pass?.renumbered ?? 0)
    return Outcome(report: report, events: events(report, gaps: pass?.gapNames ?? ""))
  }

  static func events(_ report: SalvageReport, gaps: String) -> [EventRecord] {
    let salvaged = EventRecord(
      .logSalvaged,
      [
        .cause: .text(report.cause), .count: .integer(report.records), .lostRecords: .integer(report.missing),
        .file: report.setAside.split(separator: "/").last.map { .text(String($0)) },
        .renumbered: report.renumbered > 0 ? .integer(report.renumbered) : nil,
        .reason: report.interruption.map { .text($0) },
      ])
    guard report.missing > 0 else { return [salvaged] }
    let missing = EventRecord(
      .recordsMissing,
      [.cause: "not_salvaged", .records: .text(gaps), .count: .integer(report.missing)])
    return [salvaged, missing]
  }

  /// Creates a log under another name, closes it, and renames it to the name of a finished log.
  static func fill(
    _ directory: StorageDirectory, _ body: (Connection) throws(DatabaseError) -> Void
  ) throws(StoreError) {
    makeUnfinished(in: directory)
    do throws(DatabaseError) {
      let connection = try Connection(path: directory.unfinished)
      try LogSchema.prepare(connection)
      try connection.migrate(LogSchema.migrations)
      try body(connection)
      try connection.run("PRAGMA wal_checkpoint(TRUNCATE)")
    } catch { throw .database(error) }
    for suffix in ["-wal", "-shm"] { try directory.remove(directory.unfinished + suffix) }
    try directory.move(directory.unfinished, to: directory.finished)
    try directory.flush()
  }

  private static func replace(in directory: StorageDirectory) throws(StoreError) -> String {
    let setAside = try directory.setAside()
    try replaceMissing(in: directory)
    return setAside
  }

  static func replaceMissing(in directory: StorageDirectory) throws(StoreError) {
    // The marker belongs to the previous log.
    OpenMarker(database: directory.database).remove()
    try directory.move(directory.finished, to: directory.database)
    try directory.flush()
  }
}
