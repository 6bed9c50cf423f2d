import Database
import Glibc
import SystemLoop

/// A file beside the log by which a program that met damage has the logger check all of it: the next time that the logger
/// starts, or within the hour while it runs.
public enum CheckRequest {
  static func path(in directory: String) -> String { directory + "/outrider.db.check" }

  static func exists(in directory: String) -> Bool { access(path(in: directory), F_OK) == 0 }

  static func remove(in directory: String) { unlink(path(in: directory)) }

  /// False when this process may not write there.
  static func make(in directory: String) -> Bool {
    let made = open(path(in: directory), O_WRONLY | O_CREAT | O_CLOEXEC | O_NOFOLLOW, 0o640)
    guard made >= 0 else { return false }
    let file = Descriptor(owning: made)
    // Root may ask for a logger that runs as somebody else.
    var owner = stat()
    if stat(directory, &owner) == 0 { _ = fchown(file.raw, owner.st_uid, owner.st_gid) }
    return true
  }

  /// An error of a reader that is no logger. Damage gets its remedy, and the logger is asked to check the log.
  public static func explained(_ error: DatabaseError, in directory: String) -> DatabaseError {
    guard error.kind == .damaged else { return error }
    let remedy =
      make(in: directory)
      ? "the logger checks the log when it starts, or within the hour while it runs, and keeps what can be read"
      : "create the file \(path(in: directory)) as the user of the logger: it then checks the log when it starts, "
        + "or within the hour while it runs, and keeps what can be read"
    var explained = error
    let code = error.code == 0 ? "" : " (SQLite \(error.code))"
    explained.message = "the log is damaged: \(error.message)\(code); \(remedy)"
    explained.code = 0
    return explained
  }
}
