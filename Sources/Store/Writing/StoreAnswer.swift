import Records
import SystemLoop

/// What the writer thread has to say.
public enum StoreAnswer: Equatable, Sendable {
  /// The log is open; also after it was salvaged while running.
  case opened(OpeningReport)
  /// The log will never be usable as things are; no further job is done.
  case refused(StoreError)
  /// A group is durable. Several groups that had to wait are reported as one.
  case committed(AppendedGroup)
  /// The next batch; nil when none waits.
  case batch(destination: String, LogBatch?)
  case borderCommitted(destination: String, through: RecordID, late: Bool)
  case acknowledged(destination: String, through: RecordID, late: Bool)
  /// So many records had been waiting for the destination.
  case dropped(destination: String, count: Int)
  /// The boot was dated, and so many records can be sent because of it; 0 if it had a date before.
  case dated(count: Int)
  case registered(RegistrationReport)
  /// `isDurable` is false while records wait in memory.
  case token(UInt64, isDurable: Bool)
  case status(LogStatus)
  /// The settings are durable, or the reason why they are not.
  case settingsKept(SystemError?)
  case newestLocation(StoredRecord?)
  case expired(RetentionReport)
  /// What room the log has, after retention has done what it had to do.
  case room(StorageRoom)
  /// Groups take very long to be written, or no longer do.
  case pace(CommitPace.Change)
  /// The files have their lines; else `trouble` says why not all of them.
  case written(UInt64, trouble: String?)
  /// These records failed their checksum; they are taken out, and the log has an event that says so.
  case damaged([RecordID])
  /// So many numbers have no entry, and nothing was known of that; the log has an event that says so.
  case missing(Int64)
  /// The log cannot be written, or a job could not be done. `waiting` records are in memory; post ``StoreJob/retry``
  /// after the pause, or go on with other jobs.
  case failing(reason: String, waiting: Int, retryAfter: Duration)
  /// What was waiting is durable.
  case recovered
  case closed

  /// Something was put on disk for it, and waited for.
  public var tellsOfAFlush: Bool {
    switch self {
    case .committed, .borderCommitted, .acknowledged, .dropped, .dated, .settingsKept: true
    case .opened, .refused, .batch, .registered, .token, .status, .newestLocation, .expired, .room,
      .pace, .written, .damaged, .missing,
      .failing, .recovered, .closed:
      false
    }
  }
}
