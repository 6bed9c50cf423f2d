import CLinux
import Glibc
import Synchronization
import System

/// The directory of the log, and the names of the files in it.
public struct StorageDirectory: Sendable {
  public let path: String
  /// The name of the file system if its files do not survive a power cut; else nil.
  let volatileName: String?

  /// Creates the directory if only its last component is missing, accessible to its user and group only.
  ///
  /// Rejects memory file systems and overlays unless `allowVolatile` is true (statfs(2)).
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

  /// Removes the permissions of other users for existing files: those of the log, set-aside ones, and settings. Call it
  /// with the lock of the directory.
  func tightenFiles() {
    guard let listing = opendir(path) else { return }
    defer { closedir(listing) }
    while let entry = readdir(listing) {
      let name = withUnsafeBytes(of: &entry.pointee.d_name) { bytes in
        String(decoding: bytes.prefix { $0 != 0 }, as: UTF8.self)
      }
      if name.hasPrefix("outrider.db") || name.hasPrefix("settings.json") {
        FileMode.tighten("\(path)/\(name)")
      }
    }
  }

  static func failure(_ call: String, _ path: String) -> StoreError {
    .system(SystemError(call: call, subject: path, number: errno))
  }

  /// The name of a file system whose files do not survive a power cut; nil for all others.
  static func volatileName(_ type: UInt32) -> String? {
    switch type {
    case UInt32(truncatingIfNeeded: TMPFS_MAGIC): "tmpfs"
    case UInt32(truncatingIfNeeded: RAMFS_MAGIC): "ramfs"
    case UInt32(truncatingIfNeeded: OVERLAYFS_SUPER_MAGIC): "overlay"
    default: nil
    }
  }

  /// Path of the log.
  public var database: String { path + "/outrider.db" }
  var writeAheadLog: String { database + "-wal" }
  var sharedMemory: String { database + "-shm" }

  /// Path of a new log that is being filled; deleted after a crash.
  var unfinished: String { path + "/outrider.db.unfinished" }
  /// Path of a new log that is complete and ready to be renamed.
  var finished: String { path + "/outrider.db.finished" }
}

/// The lock of a storage directory, held by one logger; the kernel releases it when the process ends (flock(2)).
final class DirectoryLock: Sendable {
  private let descriptor: Int32

  init(_ directory: StorageDirectory) throws(StoreError) {
    let opened = open(directory.path, O_RDONLY | O_DIRECTORY | O_CLOEXEC)
    guard opened >= 0 else { throw StorageDirectory.failure("open", directory.path) }
    guard flock(opened, LOCK_EX | LOCK_NB) == 0 else {
      let failure: StoreError =
        errno == EWOULDBLOCK
        ? .inUse(directory: directory.path) : StorageDirectory.failure("flock", directory.path)
      close(opened)
      throw failure
    }
    descriptor = opened
  }

  deinit { close(descriptor) }

  /// True if the path of a directory still refers to the locked one, which may have been replaced or covered by a mount.
  func holds(_ directory: StorageDirectory) -> Bool {
    var (locked, present) = (stat(), stat())
    return fstat(descriptor, &locked) == 0 && stat(directory.path, &present) == 0
      && locked.st_dev == present.st_dev && locked.st_ino == present.st_ino
  }
}

/// The lock of a storage directory, taken before anything else that a second logger would take, such as sockets, and
/// handed to the store.
public final class StorageClaim: Sendable {
  private let lock: Mutex<DirectoryLock?>
  /// True if another logger has the lock.
  public let isInUse: Bool

  /// Takes the lock. Any failure but that of a lock that is held is left to the store, which reports it and retries.
  public init(directory: String, allowVolatile: Bool) {
    var isInUse = false
    var taken: DirectoryLock?
    do throws(StoreError) {
      taken = try DirectoryLock(try StorageDirectory(directory, allowVolatile: allowVolatile))
    } catch {
      if case .inUse = error { isInUse = true }
    }
    lock = Mutex(taken)
    self.isInUse = isInUse
  }

  /// Hands over the lock, once; nil if it was not free.
  func take() -> DirectoryLock? {
    lock.withLock { lock in
      defer { lock = nil }
      return lock
    }
  }
}
