import Medium

/// The storage medium of the log, and the journal.
public struct StorageFacts: Equatable, Sendable {
  /// Free and total bytes of a file system.
  public struct Space: Equatable, Sendable {
    public var free: Int64
    public var total: Int64

    public init(free: Int64, total: Int64) { (self.free, self.total) = (free, total) }
  }

  /// A file of map tiles.
  public struct TileFacts: Equatable, Sendable {
    /// The reason why it cannot be used, with the remedy; nil if it can.
    public var fault: String?
    /// West, south, east, north in degrees; nil if unknown.
    public var bounds: [Double]?

    public init(fault: String? = nil, bounds: [Double]? = nil) { (self.fault, self.bounds) = (fault, bounds) }
  }

  /// The flushes of a disk since the machine started.
  public struct Flushes: Equatable, Sendable {
    public var count: Int64
    public var milliseconds: Int64

    public init(count: Int64, milliseconds: Int64) { (self.count, self.milliseconds) = (count, milliseconds) }
  }

  /// The storage directory.
  public var directory: Fact<FileNode> = .absent
  public var mounts: [Mount] = []
  public var space: Fact<Space> = .absent
  /// The number of errors that ext4 recorded in its superblock; absent for other file systems.
  public var fileSystemErrors: Fact<Int64> = .absent
  /// The disk's name, as in `mmcblk0`; nil if unknown.
  public var disk: String?
  public var wear: Fact<MediumWear> = .absent
  public var flushes: Fact<Flushes> = .absent
  /// True if /var/log/journal exists.
  public var hasJournalDirectory = false
  /// The settings of journald.conf(5) and its drop-ins.
  public var journal: [String: String] = [:]
  /// The file of map tiles; absent if `map.tiles` names none.
  public var tiles: Fact<TileFacts> = .absent
  /// The log's fault; known and nil if it can be read.
  public var logFault: Fact<String?> = .absent

  public init() {}

  /// Returns the mount that holds a path; nil if it is unknown.
  func mount(of path: String) -> Mount? { Mount.holding(path, of: mounts) }
}
