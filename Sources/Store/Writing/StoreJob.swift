import Quantities
import Records

/// What the writer thread is asked to do. Jobs are done in the order in which they were posted.
public enum StoreJob: Sendable {
  /// Write a group of records in one transaction. `urgent` wakes the loop when they are durable.
  case append([LogRecord], urgent: Bool)
  /// Hand out the next batch, or the one behind a batch that is under way. `size` counts for a destination that
  /// has no cursor yet.
  case batch(destination: String, after: BatchPosition?, size: Int)
  /// Make the end of a batch durable before it is sent.
  case commitBorder(destination: String, through: RecordID, late: Bool)
  /// The destination has everything through an id. `newBatchSize` counts from the next batch on.
  case acknowledge(destination: String, through: RecordID, late: Bool, newBatchSize: Int?)
  /// Nothing of what is written is to be sent to the destination any more. With `forgets` the log does not know it
  /// afterwards.
  case drop(destination: String, forgets: Bool = false)
  /// The running boot has learned the time, or another one: `offset` is UTC minus moment in ms. It is the date of records
  /// without one that wait in memory as well.
  case date(offset: Int64, quality: ClockQuality)
  /// These destinations exist; new ones start at the beginning of the log with these batch sizes.
  case register(batchSizes: [String: Int])
  /// Keep a text for the next start.
  case note(NoteKey, String)
  /// The same in the transaction of the next records, or at the end: it costs no write of its own.
  case noteWithRecords(NoteKey, String)
  /// Keep what was set while running in its file beside the log.
  case settings([UInt8])
  /// Answer with the same number when everything before it is done; unless `urgent`, without waking the loop for it.
  case token(UInt64, urgent: Bool = true)
  case status
  case newestLocation
  /// New limits; the next ``expire(now:)`` keeps them.
  case configure(RetentionLimits)
  /// One step of retention. `now` is nil while the time is not known.
  case expire(now: Timestamp?)
  /// Add lines to these files, and answer with the same number.
  case write([LineFile], UInt64)
  /// A reader has met damage: check the whole log, and salvage it where that is true.
  case examine
  /// Deal with what was found, now that the whole log has been read.
  case settle
  /// Try to write what waits in memory.
  case retry
  /// Write what waits and leave the log in good order.
  case close
}
