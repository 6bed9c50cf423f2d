import Quantities
import Records

/// The status of the log: its extent, its queues and its newest records.
public struct LogStatus: Equatable, Sendable {
  /// The queue of one destination.
  public struct Destination: Equatable, Sendable {
    public var name: String
    /// The last id that it has acknowledged.
    public var acknowledged: RecordID
    /// Number of records in its queue, late ones included.
    public var queued: Int
  }

  /// The oldest and the newest id; nil while the log is empty.
  public var ids: ClosedRange<RecordID>?
  /// The time of the oldest dated record among the first hundred; nil without one.
  public var firstTime: Timestamp?
  /// Number of records between them, without gaps.
  public var count: Int64
  /// Number of ids whose records are lost.
  public var missing: Int64
  /// Number of records without a time.
  public var undated: Int64
  /// Size of the pages in use, in bytes.
  public var bytes: Int64
  /// The known destinations, sorted by name.
  public var destinations: [Destination]
  /// The newest intact location and event, dated or not; only in the status of a reader.
  public var newestLocation: StoredRecord?
  public var newestEvent: StoredRecord?
  /// The time of the oldest record in each queue that is not empty; only in the status of the writer.
  public var oldestQueued: [String: Timestamp] = [:]
}
