import Records

/// The description of a batch for ``DeliveryMachine``. Its records and bytes belong to ``Delivery``.
public struct LoadedBatch: Equatable, Sendable {
  /// The last record that the batch covers. All records up to it are acknowledged together.
  public var through: RecordID
  /// The requested number of records.
  public var size: Int
  /// The number of records.
  public var records: Int
  /// The number of records that can be sent. If it is 0, the batch is acknowledged without a request.
  public var features: Int
  /// True if the queue continues after the batch.
  public var hasMore: Bool
  /// True if the batch boundary is on disk: after a restart the same batch is loaded again.
  public var isBatchBoundaryCommitted: Bool
  /// True if the boundary of a full batch must be committed, too, because the log cannot reproduce it by counting.
  public var needsBatchBoundary: Bool
  /// True if a newer location makes the whole batch obsolete.
  public var isSuperseded = false

  public init(
    through: RecordID, size: Int, records: Int, features: Int, hasMore: Bool,
    isBatchBoundaryCommitted: Bool = false,
    needsBatchBoundary: Bool = false
  ) {
    self.through = through
    self.size = size
    self.records = records
    self.features = features
    self.hasMore = hasMore
    self.isBatchBoundaryCommitted = isBatchBoundaryCommitted
    self.needsBatchBoundary = needsBatchBoundary
  }

  public var isFull: Bool { records >= size }

  /// True if loading `size` records again yields the same batch.
  ///
  /// A log that still counts in another batch size until the next acknowledgement supplies another number of records
  /// than requested.
  func isReproducible(size: Int) -> Bool {
    isBatchBoundaryCommitted || (!needsBatchBoundary && records == size && size == self.size)
  }
}
