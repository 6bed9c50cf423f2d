import CLinux
import Glibc
import SystemLoop

/// Where the log lives, and the names of the files in it.
public struct StorageDirectory: Sendable {
  public let path: String
  /// The file system whose files do not outlive a power cut; nil where they do.
  let volatileName: String?

  /// Makes the directory when only its last part is missing, closed to others than its user and group, and refuses memory
  /// file systems and overlays unless `allowVolatile` (statfs(2)).
  public init(_ path: String, allowVolatile: Bool) throws(StoreError) {
    self.path = path
    if mkdir(path, 0o750) != 0, errno != EEXIST { throw Self.failure("mkdir", path) }
    var facts = stat()
    guard stat(path, &facts) == 0 else { throw Self.failure("stat", path) }
    guard facts.st_mode & S_IFMT == S_IFDIR else { throw .notADirectory(path: path) }
    var fileSystem = statfs()
    guard statfs(path, &fileSystem) == 0 else { throw Self.failure("statfs", path) }
    volatileName = Self.volatileName(UInt32(truncatingIfNeeded: fileSystem.f_type))
    if !allowVolatile, let volatileName {
      throw .volatile(directory: path, fileSystem: volatileName)
    }
  }

  static func failure(_ call: String, _ path: String) -> StoreError {
    .system(SystemError(call: call, subject: path, number: errno))
  }

  /// The name of a file system whose files do not outlive a power cut; nil for all others.
  static func volatileName(_ type: UInt32) -> String? {
    switch type {
    case UInt32(truncatingIfNeeded: TMPFS_MAGIC): "tmpfs"
    case UInt32(truncatingIfNeeded: RAMFS_MAGIC): "ramfs"
    case UInt32(truncatingIfNeeded: OVERLAYFS_SUPER_MAGIC): "an overlay"
    default: nil
    }
  }

  /// The log.
  public var database: String { path + "/outrider.db" }
  var writeAheadLog: String { database + "-wal" }
  var sharedMemory: String { database + "-shm" }

  /// A new log that is being filled; worthless after a crash.
  var unfinished: String { path + "/outrider.db.unfinished" }
  /// A new log that is whole and only waits to be renamed.
  var finished: String { path + "/outrider.db.finished" }
}

/// Holds a storage directory for one logger; the kernel lets go of it when the process ends (flock(2)).
final class DirectoryLock {
  private let descriptor: Descriptor

  init(_ directory: StorageDirectory) throws(StoreError) {
    let opened = open(directory.path, O_RDONLY | O_DIRECTORY | O_CLOEXEC)
    guard opened >= 0 else { throw StorageDirectory.failure("open", directory.path) }
    descriptor = Descriptor(owning: opened)
    guard flock(descriptor.raw, LOCK_EX | LOCK_NB) == 0 else {
      throw errno == EWOULDBLOCK
        ? .inUse(directory: directory.path)
        : StorageDirectory.failure("flock", directory.path)
    }
  }
}
