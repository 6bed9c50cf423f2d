import Records
import System

/// An answer of the writer thread: the result of a ``StoreJob``, or a report about the log.
public enum StoreAnswer: Equatable, Sendable {
  /// The log is open; also sent after a salvage at run time.
  case opened(OpeningReport)
  /// The log cannot be used, and retrying cannot help; further jobs are ignored.
  case refused(StoreError)
  /// A group of records is durable. Several groups that had to wait are reported as one.
  case committed(AppendedGroup)
  /// The next batch; nil if the queue is empty.
  case batch(destination: String, Batch?)
  case batchBoundaryCommitted(destination: String, through: RecordID, late: Bool)
  case acknowledged(destination: String, through: RecordID, late: Bool)
  /// The queue of the destination was discarded; with the number of its records, and the last record of the log.
  case dropped(destination: String, count: Int, through: RecordID)
  /// The cursor of the destination was moved back; with the ids that are sent again as far as they exist, nil if there are
  /// none.
  case rewound(destination: String, ClosedRange<RecordID>?)
  /// The boot was dated; with the number of records that can now be sent, 0 if the boot had been dated before.
  case dated(count: Int)
  case registered(RegistrationReport)
  /// The reply to a token. `isDurable` is false while records wait in memory.
  case token(UInt64, isDurable: Bool)
  case status(LogStatus)
  /// The settings are durable, or the error because of which they are not.
  case settingsKept(SystemError?)
  case newestLocation(StoredRecord?)
  case expired(RetentionReport)
  /// The space that the log has left; sent after the last step of retention.
  case room(StorageRoom)
  /// What the writer has written so far; sent with ``room(_:)``.
  case wrote(StoreWriting)
  /// Commits have become slow, or fast again.
  case commitLatency(CommitLatency.Change)
  /// The lines were added to the files; `fault` is the first error, after which the remaining files were skipped.
  case written(UInt64, fault: String?)
  /// Records failed their checksum and were removed; an event is in the log.
  case damaged([RecordID])
  /// Number of ids without a record that were not in a known gap; an event is in the log.
  case missing(Int64)
  /// A step of the check after a start was made, or could not be made.
  case checked(CheckedPart)
  /// The log cannot be written, or a job failed. `waiting` records are in memory. Post ``StoreJob/retry`` after the
  /// delay, or continue with other jobs.
  case failing(reason: String, waiting: Int, retryAfter: Duration)
  /// The waiting records are durable.
  case recovered
  case closed

  /// True if the job was flushed to the storage medium.
  public var indicatesFlush: Bool {
    switch self {
    case .committed, .batchBoundaryCommitted, .acknowledged, .dropped, .rewound, .dated, .settingsKept: true
    case .opened, .refused, .batch, .registered, .token, .status, .newestLocation, .expired, .room,
      .wrote, .commitLatency, .written, .damaged, .missing, .checked,
      .failing, .recovered, .closed:
      false
    }
  }
}
