/// The records of one request to a destination, from the log to the server.
public struct Batch: Equatable, Sendable {
  /// The records, oldest first.
  public var records: [StoredRecord]
  /// The batch boundary: the last record that the batch covers, including records that are never sent. All records up to it
  /// are acknowledged together.
  public var through: RecordID
  /// True if the batch has the full size; its boundary then follows from the cursor alone.
  public var isFull: Bool
  /// True if the queue continues after the batch.
  public var hasMore: Bool
  /// True for records that were dated after they had been written.
  public var isLate: Bool
  /// True if the log cannot reproduce the boundary: it must be stored before the first byte is sent.
  public var needsBoundary: Bool

  public init(
    records: [StoredRecord], through: RecordID, isFull: Bool, hasMore: Bool, isLate: Bool, needsBoundary: Bool
  ) {
    self.records = records
    self.through = through
    self.isFull = isFull
    self.hasMore = hasMore
    self.isLate = isLate
    self.needsBoundary = needsBoundary
  }

  /// True if the batch ends at a stored boundary: after a restart the same batch is loaded again.
  public var isBoundaryStored: Bool { !isFull && !needsBoundary }

  /// The first `count` records as a batch of their own, whose boundary is not stored yet. `count` is at least 1.
  public func prefix(_ count: Int, hasMore: Bool) -> Batch {
    let front = Array(records.prefix(count))
    return Batch(
      records: front, through: front.last?.id ?? through, isFull: false, hasMore: hasMore, isLate: isLate,
      needsBoundary: true)
  }
}
