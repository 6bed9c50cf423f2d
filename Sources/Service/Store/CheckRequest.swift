import Database
import Glibc
import System

/// The file `outrider.db.check`, by which another program that met damage requests a check of the whole log.
///
/// The logger acts on it when it starts, or within an hour while it runs.
public enum CheckRequest {
  static func path(in directory: String) -> String { directory + "/outrider.db.check" }

  static func exists(in directory: String) -> Bool { access(path(in: directory), F_OK) == 0 }

  static func remove(in directory: String) { unlink(path(in: directory)) }

  /// Creates the file; false if this process may not write to the directory.
  static func make(in directory: String) -> Bool {
    let made = open(path(in: directory), O_WRONLY | O_CREAT | O_CLOEXEC | O_NOFOLLOW | O_NONBLOCK, 0o640)
    guard made >= 0 else { return false }
    let file = Descriptor(owning: made)
    file.setDataMode()
    file.giveToOwner(of: directory)
    return true
  }

  /// Adds the remedy to an error that a reader outside the logger met. In case of damage, also requests a check.
  public static func explained(_ error: DatabaseError, in directory: String) -> DatabaseError {
    guard error.kind == .damaged else { return error }
    let remedy =
      make(in: directory)
      ? "the logger will check it and salvage the readable records at its next start, or within an hour if it runs"
      : "create the file \(path(in: directory)) as the logger's user; the logger then checks the log and salvages "
        + "the readable records at its next start, or within an hour if it runs"
    var explained = error
    let code = error.code == 0 ? "" : " (SQLite \(error.code))"
    explained.message = "the log is damaged: \(error.message)\(code); \(remedy)"
    explained.code = 0
    return explained
  }
}
