import Glibc
import System

/// The reason why gpsd supplies no data.
public enum GPSDFailure: Error, Equatable, Sendable {
  /// The name service does not know the host.
  case unknownHost
  /// Connection refused or no route to the host; libgps does not distinguish the two.
  case unreachable
  /// The attempt to connect is still in progress.
  case noAnswer
  /// gpsd closed the connection.
  case ended
  /// gpsd released the receiver: unplugged, or a line error.
  case deviceGone(path: String)
  /// libgps failed with an error number of gps_errstr(3).
  case library(Int32)
  case system(SystemError)

  /// Converts the number that gps_open(3) leaves in `errno`.
  init(opening number: Int32) {
    switch number {
    case -2: self = .unknownHost
    case -6: self = .unreachable
    case EPIPE: self = .ended
    case _: self = .library(number)
    }
  }
}

extension GPSDFailure: CustomStringConvertible {
  public var description: String {
    switch self {
    case .unknownHost: "no such host"
    case .unreachable: "cannot connect"
    case .noAnswer: "no answer"
    case .ended: "gpsd ended the connection"
    case .deviceGone(let path): "gpsd lost the receiver \(path)"
    case .library(let number): "libgps error \(number)"
    case .system(let error): "\(error)"
    }
  }
}
