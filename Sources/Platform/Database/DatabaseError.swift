import CSQLite

/// An error of SQLite, or damage that this program found in a database, with a message.
public struct DatabaseError: Error, Equatable, Sendable, CustomStringConvertible {
  /// The class of an error, by the possible reaction.
  public enum Kind: Equatable, Sendable {
    /// The file is not a database or is inconsistent: salvage it (SQLITE_CORRUPT, SQLITE_NOTADB).
    case damaged
    /// The file system is full, or the size limit is reached (SQLITE_FULL).
    case full
    /// The medium fails, is read-only or missing (SQLITE_IOERR, SQLITE_READONLY, SQLITE_CANTOPEN, SQLITE_PERM).
    case unwritable
    /// Another connection holds a lock for longer than the busy timeout (SQLITE_BUSY, SQLITE_LOCKED).
    case busy
    /// Any other error, such as a statement that does not match the schema, or lack of memory.
    case other
  }

  public var kind: Kind
  /// SQLite's extended result code; 0 if the error is not from SQLite.
  public var code: Int32
  /// The database file.
  public var path: String
  public var message: String

  public init(kind: Kind, code: Int32, path: String, message: String) {
    self.kind = kind
    self.code = code
    self.path = path
    self.message = message
  }

  init(code: Int32, path: String, message: String) {
    self.init(kind: Kind(code: code), code: code, path: path, message: message)
  }

  /// The error for a file that is inconsistent in a way that SQLite does not check.
  public static func damaged(path: String, _ message: String) -> DatabaseError {
    DatabaseError(kind: .damaged, code: SQLITE_CORRUPT, path: path, message: message)
  }

  public var description: String {
    code == 0 ? "\(path): \(message)" : "\(path): \(message) (SQLite \(code))\(remedy)"
  }

  private var remedy: String {
    switch kind {
    case .full: "; free space on its file system"
    case .unwritable: "; check the directory, its permissions and the medium"
    case .busy: "; another program has locked it"
    case .damaged, .other: ""
    }
  }
}

extension DatabaseError.Kind {
  init(code: Int32) {
    switch code & 0xFF {
    case SQLITE_CORRUPT, SQLITE_NOTADB: self = .damaged
    case SQLITE_FULL: self = .full
    case SQLITE_IOERR, SQLITE_READONLY, SQLITE_CANTOPEN, SQLITE_PERM, SQLITE_NOLFS: self = .unwritable
    case SQLITE_BUSY, SQLITE_LOCKED: self = .busy
    default: self = .other
    }
  }
}
