import Glibc

/// The permissions of a database: rw-r-----, whatever the umask. SQLite gives its other files the same ones.
enum DatabaseFileMode {
  static let mode: mode_t = 0o640

  /// Creates an empty file for a database that does not exist. Removes further permissions of one that exists, with its
  /// other files; never adds any. Failures are ignored: SQLite reports a file that cannot be opened.
  ///
  /// An existing file is not opened: closing it would release the locks of SQLite (sqlite.org/howtocorrupt.html, 2.2).
  static func apply(to path: String) {
    let made = open(path, O_WRONLY | O_CREAT | O_EXCL | O_CLOEXEC | O_NOFOLLOW, mode)
    if made >= 0 {
      _ = fchmod(made, mode)
      close(made)
    } else {
      for suffix in ["", "-wal", "-shm"] { tighten(path + suffix) }
    }
  }

  private static func tighten(_ path: String) {
    var facts = stat()
    guard lstat(path, &facts) == 0, facts.st_mode & S_IFMT == S_IFREG, facts.st_mode & 0o777 & ~mode != 0
    else { return }
    _ = chmod(path, facts.st_mode & mode)
  }
}
