/// The reason why a database accepts no writes. The descriptions are for everybody: they contain no address.
public enum WriteFault: Equatable, Sendable {
  case unreachable
  /// A standby, or a server with `default_transaction_read_only`.
  case readOnly
  case noTables
  /// A step of the schema is missing.
  case oldTables(missing: String)
  /// The encoding of the database is not UTF8.
  case encoding(String)
  /// A commit takes too long, as without the synchronous standby.
  case unconfirmed
  case diskFull
  /// Another error, by its code ("PostgreSQL Error Codes").
  case rejected(state: String)

  /// The fault behind an error of the server.
  public init(state: String) {
    switch state {
    case "25006": self = .readOnly
    // A table, schema or function does not exist.
    case "42P01", "3F000", "42883": self = .noTables
    case "53100": self = .diskFull
    default: self = .rejected(state: state)
    }
  }

  /// True if the schema or the encoding is wrong, so that it stays until an operator repairs it.
  public var isOfTables: Bool {
    switch self {
    case .noTables, .oldTables, .encoding: true
    case .unreachable, .readOnly, .unconfirmed, .diskFull, .rejected: false
    }
  }
}

extension WriteFault: CustomStringConvertible {
  public var description: String {
    switch self {
    case .unreachable: "the database is away"
    case .readOnly: "the database is read-only; connect to the primary server"
    case .noTables: "the database lacks tables; run outrider-collector fleet init"
    case .oldTables(let step):
      "the tables are those of an older version (\"\(step)\" is missing); run outrider-collector fleet init"
    case .encoding(let name): "the encoding of the database is \(name); it must be UTF8"
    case .unconfirmed: "the database does not confirm writes; check its synchronous standby and its load"
    case .diskFull: "the disk of the database is full"
    case .rejected(let state): "the database rejects writes (SQLSTATE \(state))"
    }
  }
}
