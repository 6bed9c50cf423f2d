/// What room a log has before records are dropped that were not sent.
public struct StorageRoom: Equatable, Sendable {
  /// Bytes of the entries that some destination has not confirmed, by their share of all entries.
  public var unsent: Int64
  /// ``RetentionLimits/bytes``.
  public var limit: Int64?
  /// Bytes of the file system that may be written, and all that it has; nil where it does not tell (statvfs(3)).
  public var free: Int64?
  public var capacity: Int64?

  public init(unsent: Int64, limit: Int64? = nil, free: Int64? = nil, capacity: Int64? = nil) {
    self.unsent = unsent
    self.limit = limit
    self.free = free
    self.capacity = capacity
  }
}
