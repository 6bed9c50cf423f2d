import Glibc

/// The permissions of files with personal data, such as positions: rw-r-----, whatever the umask.
public enum FileMode {
  public static let data: mode_t = 0o640

  /// Removes permissions that ``data`` does not have, and adds none. Does nothing for anything but a regular file, and
  /// ignores failures, such as for a file of another user.
  public static func tighten(_ path: String) {
    var facts = stat()
    guard lstat(path, &facts) == 0, facts.st_mode & S_IFMT == S_IFREG, facts.st_mode & 0o777 & ~data != 0
    else { return }
    _ = chmod(path, facts.st_mode & data)
  }
}

extension Descriptor {
  /// Gives a new file the permissions ``FileMode/data``. A file system without permissions keeps its own.
  public borrowing func setDataMode() { _ = fchmod(raw, FileMode.data) }
}
