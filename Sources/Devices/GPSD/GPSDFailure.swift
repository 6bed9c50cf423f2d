import Glibc
import SystemLoop

/// Why nothing comes from gpsd.
public enum GPSDFailure: Error, Equatable, Sendable {
  /// No name service knows the host.
  case unknownHost
  /// Nothing listens there, or no way leads there; libgps does not tell these apart.
  case unreachable
  /// The attempt to connect has not come to an end.
  case noAnswer
  /// gpsd has ended the connection.
  case ended
  /// gpsd has let go of the receiver: unplugged, or its line is in error.
  case deviceGone(path: String)
  /// libgps failed with a number of gps_errstr(3).
  case library(Int32)
  case system(SystemError)

  /// From the number that gps_open(3) leaves in `errno`.
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
