import Glibc
import SystemLoop

/// The files of the open log as the kernel knows them, by which a log that was deleted or replaced is noticed: SQLite
/// would go on writing into a file that has no name any more (stat(2)).
struct LogPlace {
  enum Loss: Equatable {
    case deleted
    case replaced
    case withoutWriteAheadLog
  }

  private let path: String
  private let database: FileIdentity?
  private let writeAheadLog: FileIdentity?

  /// Remembers what the names mean now; call when SQLite has just opened the files.
  init(path: String) {
    self.path = path
    database = FileIdentity(path)
    writeAheadLog = FileIdentity(path + "-wal")
  }

  /// What has become of the files; nil while the names mean the same, or cannot be looked up. Two stat(2) calls.
  var loss: Loss? {
    guard let database else { return nil }
    guard let found = FileIdentity(path) else { return errno == ENOENT || errno == ENOTDIR ? .deleted : nil }
    guard found == database else { return .replaced }
    guard let writeAheadLog, FileIdentity(path + "-wal") != writeAheadLog else { return nil }
    return .withoutWriteAheadLog
  }

  /// True when the name still means the open database.
  var namesDatabase: Bool { database != nil && FileIdentity(path) == database }
  /// True when the name still means the open write-ahead log.
  var namesWriteAheadLog: Bool { writeAheadLog != nil && FileIdentity(path + "-wal") == writeAheadLog }
}

extension LogPlace.Loss {
  /// The cause, for a person.
  var words: String {
    switch self {
    case .deleted: "the log was deleted while the logger ran"
    case .replaced: "the log was replaced by another file while the logger ran"
    case .withoutWriteAheadLog: "the write-ahead log was deleted or replaced while the logger ran"
    }
  }
}
