import Glibc
import System

extension StorageDirectory {
  /// Renames the log with its companion files to the first free `outrider.db.damaged-N`, and returns that path.
  func setAside() throws(StoreError) -> String {
    var number = 1
    while exists("\(database).damaged-\(number)") { number += 1 }
    let name = "\(database).damaged-\(number)"
    // The companions first: SQLite would merge a write-ahead log that is left into the new file.
    try move(writeAheadLog, to: name + "-wal")
    try move(sharedMemory, to: name + "-shm")
    try move(database, to: name)
    return name
  }

  func exists(_ path: String) -> Bool {
    var facts = stat()
    return lstat(path, &facts) == 0
  }

  /// Renames a file if it exists.
  func move(_ path: String, to target: String) throws(StoreError) {
    guard rename(path, target) == 0 || errno == ENOENT else { throw Self.failure("rename", path) }
  }

  func remove(_ path: String) throws(StoreError) {
    guard unlink(path) == 0 || errno == ENOENT else { throw Self.failure("unlink", path) }
  }

  /// Makes renames durable (fsync(2) of the directory).
  func flush() throws(StoreError) {
    let opened = Glibc.open(path, O_RDONLY | O_DIRECTORY | O_CLOEXEC)
    guard opened >= 0 else { throw Self.failure("open", path) }
    let descriptor = Descriptor(owning: opened)
    guard fsync(descriptor.raw) == 0 else { throw Self.failure("fsync", path) }
  }
}
