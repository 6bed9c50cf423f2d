import Database
import Records
import System

/// The log in its directory: opened under the directory's lock, and created again if its file was deleted or replaced.
///
/// Ids are never reused: a log that follows another one continues its ids. Owned by ``LogWriter``.
struct LogHandle {
  /// The state of the log's file.
  enum FileState {
    /// The name refers to the open file, or the log is not open.
    case current
    /// The file was lost, and the log was created again.
    case recreated(OpeningReport)
    /// The file was lost and cannot be created again at present.
    case lost(reason: String)
  }

  let path: String
  private let allowVolatile: Bool
  private let options: LogOptions
  private var lock: DirectoryLock?
  /// The lock that was taken before; handed over when the log is opened.
  private let claim: StorageClaim?
  /// The open log; nil before the first job, and after a failure that made it unusable.
  private(set) var log: LogDatabase?
  private var idFloor: Int64 = 0

  init(directory: String, allowVolatile: Bool, options: LogOptions, claim: StorageClaim?) {
    self.claim = claim
    path = directory
    self.allowVolatile = allowVolatile
    self.options = options
  }

  var isOpen: Bool { log != nil }

  /// True if an earlier log with records failed or was lost.
  var hadRecords: Bool { idFloor != 0 }

  /// Opens the log, which must not be open. `distrust` is the reason to salvage it first.
  mutating func open(distrust: String?) throws(StoreError) -> OpeningReport {
    let directory = try StorageDirectory(path, allowVolatile: allowVolatile)
    try takeLock(directory)
    let (opened, report) = try LogDatabase.open(
      directory, options: options, idFloor: idFloor, distrust: distrust)
    return adopt(opened, report, in: directory)
  }

  /// Takes the lock of the directory, unless it is held. A medium that was mounted late covers a directory that was locked.
  private mutating func takeLock(_ directory: StorageDirectory) throws(StoreError) {
    if let lock, lock.holds(directory) { return }
    lock = nil
    if let claimed = claim?.take(), claimed.holds(directory) {
      lock = claimed
    } else {
      lock = try DirectoryLock(directory)
    }
    directory.tightenFiles()
  }

  /// Checks that the name of the log refers to the open file; otherwise creates the log again from the open file.
  mutating func restoreFile() -> FileState {
    guard let old = log, let loss = old.fileIdentity.loss else { return .current }
    raiseFloor(to: old)
    do throws(StoreError) {
      let directory = try StorageDirectory(path, allowVolatile: allowVolatile)
      // The directory may have been replaced.
      lock = nil
      lock = try DirectoryLock(directory)
      let outcome = try Salvage.recreate(in: directory, from: old, cause: loss.message)
      // Closing the old log regularly would remove the write-ahead log of the new file.
      abandon()
      let (opened, report) = try LogDatabase.open(
        directory, options: options, idFloor: idFloor, after: outcome)
      return .recreated(adopt(opened, report, in: directory))
    } catch {
      return .lost(reason: "\(loss.message): \(error)")
    }
  }

  /// Starts a smaller copy of the open log; false if that is impossible.
  func beginCopy(by copier: any LogCopier) -> Bool {
    guard isOpen, let directory = try? StorageDirectory(path, allowVolatile: allowVolatile) else {
      return false
    }
    do throws(StoreError) { try Salvage.removeUnfinished(in: directory) } catch { return false }
    // SQLite itself would create a file that everyone can read.
    Salvage.makeUnfinished(in: directory)
    return copier.begin(in: directory)
  }

  /// Removes an unused copy.
  func discardCopy() {
    guard let directory = try? StorageDirectory(path, allowVolatile: allowVolatile) else { return }
    try? Salvage.removeUnfinished(in: directory)
  }

  /// Replaces the open log by its complete copy, and opens that. False if a reader prevents it at present. After an error the
  /// log is released; its file is whole.
  mutating func replaceByCopy() throws(StoreError) -> Bool {
    guard let old = log else { return false }
    raiseFloor(to: old)
    let directory = try StorageDirectory(path, allowVolatile: allowVolatile)
    do throws(DatabaseError) {
      guard try LogReplacement.complete(old, in: directory) else { return false }
    } catch {
      // It may be marked as closed.
      abandon()
      throw .database(error)
    }
    // Closing the old log regularly would remove the write-ahead log of the new file.
    defer { old.abandon() }
    log = nil
    for step in LogReplacement.Step.allCases { try LogReplacement.perform(step, in: directory) }
    let (opened, report) = try LogDatabase.open(directory, options: options, idFloor: idFloor)
    _ = adopt(opened, report, in: directory)
    return true
  }

  private mutating func adopt(
    _ opened: LogDatabase, _ report: OpeningReport, in directory: StorageDirectory
  ) -> OpeningReport {
    var report = report
    report.volatileFileSystem = directory.volatileName
    log = opened
    return report
  }

  /// Processes the error of an access. Releases a log that has become unusable, with its files.
  mutating func recordFailure(_ error: DatabaseError) {
    guard let log else { return }
    raiseFloor(to: log)
    switch error.kind {
    case .full, .busy: break
    case .unwritable, .other, .damaged: abandon()
    }
  }

  private mutating func raiseFloor(to log: LogDatabase) { idFloor = max(idFloor, log.lastID.rawValue) }

  /// Releases the log without closing it: its write-ahead log remains for the next start.
  mutating func abandon() {
    log?.abandon()
    log = nil
  }

  /// Releases a closed log, and the lock of the directory.
  mutating func release() {
    log = nil
    lock = nil
  }
}
