import Quantities
import Records

/// A job for the writer thread. Jobs are executed in the order in which they were posted.
public enum StoreJob: Sendable {
  /// Writes a group of records in one transaction. `urgent` wakes the loop when they are durable.
  case append([LogRecord], urgent: Bool)
  /// Returns the next batch, with a durable boundary if it is requested.
  case batch(destination: String, BatchRequest)
  /// Makes the boundary of a batch durable that was loaded without one, before the batch is sent.
  case commitBatchBoundary(destination: String, through: RecordID, late: Bool)
  /// Records that the destination has acknowledged everything up to an id, and then returns the batch `next`.
  /// `newBatchSize` applies from the next batch. `urgent` wakes the loop when the cursor is durable.
  /// `held` changes a held record in the same step.
  case acknowledge(
    destination: String, through: RecordID, late: Bool, newBatchSize: Int?, next: BatchRequest? = nil,
    urgent: Bool = true, held: HeldChange? = nil)
  /// Discards the queue of a destination. With `forgets` its cursor is removed as well.
  case drop(destination: String, forgets: Bool = false)
  /// Sets the time of the current boot: `offset` is UTC minus boot clock in ms. Also dates undated records that wait in
  /// memory.
  case date(offset: Int64, quality: ClockQuality)
  /// Registers the configured destinations; new ones start at the beginning of the log with these batch sizes.
  /// `events` are those that are part of their queues.
  case register(batchSizes: [String: Int], events: [String: EventSelection] = [:])
  /// Moves the cursor of a destination back, so that the records after an id are sent again.
  case rewind(destination: String, to: RecordID)
  /// Saves a text for the next start.
  case saveState(SavedStateKey, String)
  /// Saves a text in the transaction of the next records, or when the log is closed: it requires no separate write.
  case saveStateWithRecords(SavedStateKey, String)
  /// Replaces the file of run-time settings beside the log.
  case settings([UInt8])
  /// Replies with the same number when all jobs before it are done. The reply wakes the loop only if `urgent`.
  case token(UInt64, urgent: Bool = true)
  /// Counts records and queues. The answer wakes the loop only if `urgent`.
  case status(urgent: Bool = true)
  case newestLocation
  /// Sets the limits for the next ``expire(now:)``.
  case configure(RetentionLimits)
  /// Does one step of retention. `now` is nil while the time is unknown.
  case expire(now: Timestamp?)
  /// Adds lines to these files, and answers with the same number.
  case write([LineFile], UInt64)
  /// Does the next step of the check after a start; it reads all records once.
  case checkStep
  /// Checks the whole log because a reader has met damage; a damaged log is salvaged.
  case examine
  /// Handles the findings of a full check that has ended.
  case settle
  /// Tries to write the waiting records.
  case retry
  /// Writes the waiting records and closes the log.
  case close
}
