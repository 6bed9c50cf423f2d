import Database
import System

/// A reason for which the log cannot be used.
public enum StoreError: Error, Equatable, Sendable, CustomStringConvertible {
  /// The files of the directory do not survive a power cut.
  case volatile(directory: String, fileSystem: String)
  case notADirectory(path: String)
  /// Another logger uses the same directory.
  case inUse(directory: String)
  case system(SystemError)
  case database(DatabaseError)

  public var description: String {
    switch self {
    case .volatile(let directory, let fileSystem):
      """
      storage.directory: \(directory) is on a file system of type \(fileSystem), which loses its files in a power \
      cut; choose a directory on flash or disk, or set storage.allow_volatile to true for testing
      """
    case .notADirectory(let path):
      "storage.directory: \(path) is not a directory; choose a directory, or remove the file"
    case .inUse(let directory):
      "storage.directory: \(directory) is in use by another logger; stop it, or choose another directory"
    case .system(let error): "\(error); check storage.directory, its permissions and the medium"
    case .database(let error): "\(error)"
    }
  }

  /// True if retrying cannot help.
  public var isFinal: Bool {
    switch self {
    case .volatile, .notADirectory, .inUse: true
    case .system, .database: false
    }
  }
}
