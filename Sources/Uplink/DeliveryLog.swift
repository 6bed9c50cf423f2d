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

/// The log as a ``Delivery`` sees it. Each of the first three is answered once, at once or later on the
/// loop's thread, through the method of ``Delivery`` named with it; what it asks for must be on disk by then.
public protocol DeliveryLog: AnyObject {
  /// Up to `size` records behind `after` (nil: behind what is acknowledged), not beyond a committed border
  /// that lies ahead. Answered by ``Delivery/loaded(_:size:)``.
  func loadBatch(for delivery: Delivery, after: RecordID?, size: Int)
  /// Answered by ``Delivery/borderCommitted(through:)``.
  func commitBorder(for delivery: Delivery, through: RecordID)
  /// Answered by ``Delivery/acknowledged(through:)``.
  func acknowledge(for delivery: Delivery, through: RecordID)
  /// The newest fix that was kept, for `current`; nil before the first.
  func newestFix(for delivery: Delivery) -> LogRecord?
  /// A turn for the worse or the better.
  func delivery(_ delivery: Delivery, reports report: DeliveryReport)
  /// The body of the answer with which the server took a batch; settings may stand in it. Told after the batch was
  /// acknowledged.
  func delivery(_ delivery: Delivery, wasAnswered body: [UInt8])
}

extension DeliveryLog {
  public func delivery(_ delivery: Delivery, wasAnswered body: [UInt8]) {}
}

extension LogBatch {
  /// The records before the first location without a time: acknowledging it unsent would lose it. Nil when
  /// none is left.
  var upToUndated: LogBatch? {
    let undated = records.firstIndex { stored in
      guard case .location = stored.record.body else { return false }
      return stored.record.time == nil
    }
    guard let undated else { return self }
    guard undated > 0 else { return nil }
    return LogBatch(
      records: Array(records[..<undated]), through: records[undated - 1].id, hasMore: false,
      isBorderCommitted: false)
  }
}
