import Quantities
import Records

/// Records that belong together in one request, as the log answers.
public struct LogBatch: Sendable {
  /// Oldest first. A location without a time ends the batch before it: it is sent once it is dated.
  public var records: [StoredRecord]
  /// Everything up to here is covered, also what was left out because no destination wants it.
  public var through: RecordID
  /// More records wait behind.
  public var hasMore: Bool
  /// The batch ends where a committed border lies.
  public var isBorderCommitted: Bool
  /// The log cannot find this end again by itself, full or not: it has to be committed before the first byte is sent.
  public var needsBorder: Bool

  public init(
    records: [StoredRecord], through: RecordID, hasMore: Bool, isBorderCommitted: Bool,
    needsBorder: Bool = false
  ) {
    self.records = records
    self.through = through
    self.hasMore = hasMore
    self.isBorderCommitted = isBorderCommitted
    self.needsBorder = needsBorder
  }
}

/// What a server has taken of a batch.
public struct TakenRecords: Equatable, Sendable {
  public var count: Int
  /// Nil where none of them is a location.
  public var newestLocation: RecordID?
  /// Of the newest location; nil where it has none.
  public var newestAccuracyMillimetres: Int64?

  public init(count: Int, newestLocation: RecordID?, newestAccuracyMillimetres: Int64? = nil) {
    self.count = count
    self.newestLocation = newestLocation
    self.newestAccuracyMillimetres = newestAccuracyMillimetres
  }
}

/// The log as a ``Delivery`` sees it. Each of the first three is answered once, at once or later on the
/// loop's thread, through the method of ``Delivery`` named with it; what it asks for must be on disk by then.
///
/// No requirement has a default implementation: a log that forgets one would send a private place or lose a boundary.
public protocol DeliveryLog: AnyObject {
  /// Up to `size` records behind `after` (nil: behind what is acknowledged), not beyond a committed border
  /// that lies ahead. Answered by ``Delivery/loaded(_:size:)``.
  func loadBatch(for delivery: Delivery, after: RecordID?, size: Int)
  /// Answered by ``Delivery/borderCommitted(through:)``.
  func commitBorder(for delivery: Delivery, through: RecordID)
  /// `taken` is what the server has of the batch; nil where all of it was passed over, superseded or set aside.
  /// Answered by ``Delivery/acknowledged(through:)``.
  func acknowledge(for delivery: Delivery, through: RecordID, taken: TakenRecords?)
  /// The batch that ends at `from` is cut to its first `records`, the last of which is `through`: what is asked about
  /// that one next belongs to the same queue. Not answered.
  func shorten(for delivery: Delivery, from: RecordID, through: RecordID, records: Int)
  /// The rendered object of a running trip; nil while there is none.
  func runningTrip(for delivery: Delivery) -> [UInt8]?
  /// The newest fix that was kept, for `current`; nil before the first.
  func newestFix(for delivery: Delivery) -> LogRecord?
  /// What may be told of a record today; nil where that is nothing. It goes before sameness: a batch that was sent with
  /// such a record comes again without it.
  func disclosed(_ record: LogRecord, for delivery: Delivery) -> LogRecord?
  /// A turn for the worse or the better.
  func delivery(_ delivery: Delivery, reports report: DeliveryReport)
  /// The body of the answer with which the server took a batch; settings may stand in it. Told after the batch was
  /// acknowledged.
  func delivery(_ delivery: Delivery, wasAnswered body: [UInt8])
}

extension StoredRecord {
  var isLocation: Bool {
    if case .location = record.body { true } else { false }
  }
}

extension LogBatch {
  /// Without the locations that a newer one of this batch, or of one behind it, takes the place of.
  var withoutOlderLocations: [StoredRecord] {
    let newest = hasMore ? nil : records.last(where: \.isLocation)?.id
    return records.filter { !$0.isLocation || $0.id == newest }
  }

  /// The records of the first span of the clock; nil when the newest fix is still in it. A record without a time
  /// belongs to the span before it.
  func within(_ bucket: Duration?, newest: Timestamp?) -> LogBatch? {
    guard let length = bucket?.wholeMilliseconds, length > 0,
      let first = records.first(where: { $0.record.time != nil })?.record.time?.milliseconds
    else { return self }
    func span(_ milliseconds: Int64) -> Int64 {
      milliseconds / length - (milliseconds % length < 0 ? 1 : 0)
    }
    let later = records.firstIndex { stored in
      stored.record.time.map { span($0.milliseconds) != span(first) } ?? false
    }
    guard let later, later > 0 else {
      let isOver = newest.map { span($0.milliseconds) != span(first) } ?? false
      return isOver ? self : nil
    }
    return LogBatch(
      records: Array(records[..<later]), through: records[later - 1].id, hasMore: true,
      isBorderCommitted: false, needsBorder: true)
  }

  /// The records before the first location without a time: acknowledging it unsent would lose it. Nil when
  /// none is left.
  var upToUndated: LogBatch? {
    let undated = records.firstIndex { $0.record.body.isSent && $0.record.time == nil }
    guard let undated else { return self }
    guard undated > 0 else { return nil }
    return LogBatch(
      records: Array(records[..<undated]), through: records[undated - 1].id, hasMore: false,
      isBorderCommitted: false)
  }
}
