import Database
import HTTPServer
import System

/// A reason for which a collector did not start.
public enum CollectorError: Error, Equatable, Sendable, CustomStringConvertible {
  /// The database cannot be opened or written.
  case database(DatabaseError)
  /// The data directory cannot be created or read.
  case directory(SystemError)
  /// Another collector or a logger uses the directory.
  case inUse(directory: String)
  case server(HTTPServerError)
  /// The token is empty, which would admit no client or every client.
  case emptyToken

  public var description: String {
    switch self {
    case .database(let error): error.description
    case .directory(let error): "\(error); choose a directory that this user can write to"
    case .inUse(let directory):
      "\(directory): in use by another Outrider process; stop it, or choose another directory with --data"
    case .server(let error): error.description
    case .emptyToken: "the token is empty; set a token, or omit it to admit every client"
    }
  }
}
