import Database
import SystemLoop

/// Why the log cannot be used.
public enum StoreError: Error, Equatable, Sendable, CustomStringConvertible {
  /// The directory does not outlive a power cut.
  case volatile(directory: String, fileSystem: String)
  case notADirectory(path: String)
  /// Another logger writes into the same directory.
  case inUse(directory: String)
  case system(SystemError)
  case database(DatabaseError)

  public var description: String {
    switch self {
    case .volatile(let directory, let fileSystem):
      """
      \(directory) lies on \(fileSystem), which loses its files when the power goes; set storage.directory to a \
      place on the card or disk, or storage.allow_volatile to true for a trial
      """
    case .notADirectory(let path):
      "\(path) is not a directory; set storage.directory to one, or remove the file"
    case .inUse(let directory):
      "another logger has \(directory) open; stop it, or give this one a storage.directory of its own"
    case .system(let error): "\(error); check storage.directory, its permissions and the medium"
    case .database(let error): "\(error)"
    }
  }

  /// True when waiting and trying again cannot help.
  public var isFinal: Bool {
    switch self {
    case .volatile, .notADirectory, .inUse: true
    case .system, .database: false
    }
  }
}
