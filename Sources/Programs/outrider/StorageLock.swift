import Glibc
import Inspection
import System

/// The lock that a running logger has on its storage directory.
enum StorageLock {
  /// True if a process holds the lock (flock(2)).
  ///
  /// The lock is tried only if the kernel lists one for the inode: that must not disturb a logger that starts.
  static func isHeld(in directory: String) -> Bool {
    var facts = stat()
    guard stat(directory, &facts) == 0, isListed(facts.st_ino) else { return false }
    let opened = open(directory, O_RDONLY | O_DIRECTORY | O_CLOEXEC)
    // This user may not open it, so the list has to do.
    guard opened >= 0 else { return true }
    let folder = Descriptor(owning: opened)
    return flock(folder.raw, LOCK_SH | LOCK_NB) != 0 && errno == EWOULDBLOCK
  }

  /// True if `/proc/locks` has an exclusive lock of flock(2) for the inode (proc_locks(5)).
  private static func isListed(_ inode: ino_t) -> Bool {
    (FileTree().text("/proc/locks") ?? "").split(separator: "\n").contains { line in
      let words = line.split(separator: " ")
      return words.count > 5 && words[1] == "FLOCK" && words[3] == "WRITE" && words[5].hasSuffix(":\(inode)")
    }
  }
}
