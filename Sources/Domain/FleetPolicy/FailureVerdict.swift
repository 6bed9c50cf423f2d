/// What follows from an error of PostgreSQL in the transaction of a group, by its SQLSTATE ("PostgreSQL Error Codes").
public enum FailureVerdict: Equatable, Sendable {
  /// Nobody's fault: the same group is repeated (deadlock, serialization failure, lock timeout).
  case repeatGroup
  /// A partition is missing: another collector removed it, or did not know of it.
  case renewPartitions
  /// The device was removed from the database.
  case renewDevices
  /// A value of an upload: every upload is repeated alone.
  case isolate
  /// The server's fault, such as a full disk or a missing schema: the devices keep their uploads.
  case unavailable

  /// `constraint` is the name of the violated constraint. It distinguishes the two meanings of a check violation: a missing
  /// partition has none. Messages are in the language of the server.
  public init(state: String, constraint: String = "") {
    switch state {
    case "40001", "40P01", "55P03": self = .repeatGroup
    case "23514" where constraint.isEmpty: self = .renewPartitions
    case "23503": self = .renewDevices
    default:
      switch state.prefix(2) {
      // Data exceptions, other integrity violations, program limits such as the size of an index row.
      case "22", "23", "54": self = .isolate
      default: self = .unavailable
      }
    }
  }
}
