/// The space that a log has left before unsent records have to be deleted.
public struct StorageRoom: Equatable, Sendable {
  /// Size in bytes of the records that a destination has not acknowledged, estimated by their share of all records.
  public var unsent: Int64
  /// The limit ``RetentionLimits/bytes``.
  public var limit: Int64?
  /// Free bytes of the file system; nil if unknown (statvfs(3)).
  public var free: Int64?
  /// Total bytes of the file system; nil if unknown.
  public var capacity: Int64?
  /// Bytes of the log's file, and of its pages in use; nil if unknown.
  public var file: Int64?
  public var used: Int64?
  /// The reason why the file is larger than its limit although records were deleted; nil for none.
  public var shrinkObstacle: ShrinkObstacle?

  public init(unsent: Int64, limit: Int64? = nil, free: Int64? = nil, capacity: Int64? = nil) {
    self.unsent = unsent
    self.limit = limit
    self.free = free
    self.capacity = capacity
  }
}
