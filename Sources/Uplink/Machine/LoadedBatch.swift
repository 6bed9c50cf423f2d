import Records

/// What the machine needs to know of a batch; the bytes are the driver's.
public struct LoadedBatch: Equatable, Sendable {
  /// The last record the batch covers: everything up to it is acknowledged together.
  public var through: RecordID
  /// How many records were asked for.
  public var size: Int
  /// How many there are.
  public var records: Int
  /// How many of them can be sent; with 0 the batch is acknowledged without a request.
  public var features: Int
  /// More records wait behind it.
  public var hasMore: Bool
  /// Its end is on disk: after a restart the same batch is loaded again, whatever has come since.
  public var isBorderCommitted: Bool
  /// Its end must be put on disk although it is full: the log does not find it again by counting.
  public var needsBorder: Bool
  /// Nothing in it is wanted once there is a newer location.
  public var isSuperseded = false

  public init(
    through: RecordID, size: Int, records: Int, features: Int, hasMore: Bool, isBorderCommitted: Bool = false,
    needsBorder: Bool = false
  ) {
    self.through = through
    self.size = size
    self.records = records
    self.features = features
    self.hasMore = hasMore
    self.isBorderCommitted = isBorderCommitted
    self.needsBorder = needsBorder
  }

  public var isFull: Bool { records >= size }

  /// True when loading `size` records again would give this batch and no other. A log that still counts in another
  /// size, until the next acknowledgement changes it, gives another number of records than was asked for.
  func isReproducible(size: Int) -> Bool {
    isBorderCommitted || (!needsBorder && records == size && size == self.size)
  }
}
