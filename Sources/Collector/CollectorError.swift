import Database
import HTTPServer
import SystemLoop

/// Why a collector did not start.
public enum CollectorError: Error, Equatable, Sendable, CustomStringConvertible {
  /// The database cannot be opened or written.
  case database(DatabaseError)
  /// The data directory cannot be made or read.
  case directory(SystemError)
  /// Another collector keeps its places there, or a logger its log.
  case inUse(directory: String)
  case server(HTTPServerError)
  /// A token without a character would admit nobody or everybody.
  case emptyToken

  public var description: String {
    switch self {
    case .database(let error): error.description
    case .directory(let error): "\(error); choose a directory that this user may write"
    case .inUse(let directory):
      "\(directory): another outrider has it; stop that one, or choose another directory (--data)"
    case .server(let error): error.description
    case .emptyToken: "the token is empty: give one with characters, or none"
    }
  }
}
