/// A mount, from /proc/self/mountinfo (proc(5)).
public struct Mount: Equatable, Sendable {
  public var point: String
  public var fileSystem: String
  public var source: String
  /// The numbers of the device, as in `179:2`.
  public var device: String
  /// The options of the mount and of the file system.
  public var options: Set<String>

  public init(point: String, fileSystem: String, source: String, device: String, options: Set<String>) {
    (self.point, self.fileSystem, self.source) = (point, fileSystem, source)
    (self.device, self.options) = (device, options)
  }

  /// Reads the lines of mountinfo. Lines that are not in its format are ignored.
  public static func all(_ text: String) -> [Mount] {
    text.split(separator: "\n").compactMap { line in
      let words = line.split(separator: " ").map(String.init)
      guard let dash = words.firstIndex(of: "-"), dash >= 6, words.count > dash + 3 else { return nil }
      let options = words[5].split(separator: ",") + words[dash + 3].split(separator: ",")
      return Mount(
        point: unescaped(words[4]), fileSystem: words[dash + 1], source: unescaped(words[dash + 2]),
        device: words[2], options: Set(options.map(String.init)))
    }
  }

  /// Returns the mount that holds a path: the last one with the longest matching mount point.
  public static func holding(_ path: String, of mounts: [Mount]) -> Mount? {
    var best: Mount?
    for mount in mounts {
      let isAbove = mount.point == "/" || path == mount.point || path.hasPrefix("\(mount.point)/")
      if isAbove, mount.point.count >= best?.point.count ?? 0 { best = mount }
    }
    return best
  }

  /// Replaces the octal escapes of the kernel, as in `\040` for a space.
  private static func unescaped(_ text: String) -> String {
    guard text.contains("\\") else { return text }
    var bytes: [UInt8] = []
    var rest = Array(text.utf8)[...]
    while let byte = rest.popFirst() {
      if byte == UInt8(ascii: "\\"), rest.count >= 3,
        let code = UInt8(String(decoding: rest.prefix(3), as: UTF8.self), radix: 8)
      {
        bytes.append(code)
        rest = rest.dropFirst(3)
      } else {
        bytes.append(byte)
      }
    }
    return String(decoding: bytes, as: UTF8.self)
  }
}

/// The storage medium of the log, and the journal.
public struct StorageFacts: Equatable, Sendable {
  /// Free and total bytes of a file system.
  public struct Space: Equatable, Sendable {
    public var free: Int64
    public var total: Int64

    public init(free: Int64, total: Int64) { (self.free, self.total) = (free, total) }
  }

  /// The wear of an eMMC, as JESD84-B51 defines it.
  public struct Wear: Equatable, Sendable {
    /// The larger life-time estimate, in steps of 10 % used; 11 means exceeded.
    public var lifeTime: UInt8
    /// State of the reserve: 1 normal, 2 warning (80 % used), 3 urgent (90 % used).
    public var endOfLife: UInt8

    public init(lifeTime: UInt8, endOfLife: UInt8) { (self.lifeTime, self.endOfLife) = (lifeTime, endOfLife) }
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
  public var wear: Fact<Wear> = .absent
  public var flushes: Fact<Flushes> = .absent
  /// True if /var/log/journal exists.
  public var hasJournalDirectory = false
  /// The settings of journald.conf(5) and its drop-ins.
  public var journal: [String: String] = [:]
  /// The log's fault; known and nil if it can be read.
  public var logFault: Fact<String?> = .absent

  public init() {}

  /// Returns the mount that holds a path; nil if it is unknown.
  func mount(of path: String) -> Mount? { Mount.holding(path, of: mounts) }
}
