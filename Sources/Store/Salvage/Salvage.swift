import Database
import Glibc
import Records

/// Makes a new log out of what can be read of a damaged one.
///
/// The new file is filled under another name and takes the place of the old one by renaming, so that a power cut at
/// any point leaves either the damaged log, to be salvaged again, or the whole new one.
enum Salvage {
  struct Outcome {
    var report: SalvageReport
    /// The events for the new log.
    var events: [EventRecord]
  }

  /// Brings a replacement to its end that a crash broke off.
  static func finishInterrupted(in directory: StorageDirectory) throws(StoreError) {
    try removeUnfinished(in: directory)
    guard directory.exists(directory.finished) else { return }
    _ = try replace(in: directory)
  }

  static func removeUnfinished(in directory: StorageDirectory) throws(StoreError) {
    for suffix in ["", "-wal", "-shm"] { try directory.remove(directory.unfinished + suffix) }
  }

  /// A log without records.
  static func createEmpty(in directory: StorageDirectory) throws(StoreError) {
    try fill(directory) { connection throws(DatabaseError) in
      try connection.transaction { () throws(DatabaseError) in try StateRow.save(.floor, 0, to: connection) }
    }
    try replaceMissing(in: directory)
  }

  /// Carries over what can be read, sets the damaged files aside and puts the new log in their place.
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
      // No room for a copy, or worse: start empty, the old file stays aside for a person.
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

  /// Makes a log under another name, closes it whole and marks it as finished by its name.
  static func fill(
    _ directory: StorageDirectory, _ body: (Connection) throws(DatabaseError) -> Void
  ) throws(StoreError) {
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
    // It is about the log that was there before.
    OpenMarker(database: directory.database).remove()
    try directory.move(directory.finished, to: directory.database)
    try directory.flush()
  }
}
