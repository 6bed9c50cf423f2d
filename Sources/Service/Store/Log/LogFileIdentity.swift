import Glibc
import System

/// The identity of the open log's files, which shows that the log was deleted or replaced (stat(2)).
///
/// SQLite itself would continue to write into a file without a name.
struct LogFileIdentity {
  /// The way in which the files were lost.
  enum Loss: Equatable {
    case deleted
    case replaced
    case withoutWriteAheadLog
  }

  private let path: String
  private let database: FileIdentity?
  private let writeAheadLog: FileIdentity?

  /// Stores the identity of the files; call it directly after SQLite has opened them.
  init(path: String) {
    self.path = path
    database = FileIdentity(path)
    writeAheadLog = FileIdentity(path + "-wal")
  }

  /// The loss of a file; nil while the names refer to the open files, or cannot be looked up. Two stat(2) calls.
  var loss: Loss? {
    guard let database else { return nil }
    guard let found = FileIdentity(path) else { return errno == ENOENT || errno == ENOTDIR ? .deleted : nil }
    guard found == database else { return .replaced }
    guard let writeAheadLog, FileIdentity(path + "-wal") != writeAheadLog else { return nil }
    return .withoutWriteAheadLog
  }

  /// True if the name still refers to the open database.
  var namesDatabase: Bool { database != nil && FileIdentity(path) == database }
  /// True if the name still refers to the open write-ahead log.
  var namesWriteAheadLog: Bool { writeAheadLog != nil && FileIdentity(path + "-wal") == writeAheadLog }
}

extension LogFileIdentity.Loss {
  /// The message about the loss.
  var message: String {
    switch self {
    case .deleted: "the log was deleted while the logger was running"
    case .replaced: "the log was replaced by another file while the logger was running"
    case .withoutWriteAheadLog: "the write-ahead log was deleted or replaced while the logger was running"
    }
  }
}
