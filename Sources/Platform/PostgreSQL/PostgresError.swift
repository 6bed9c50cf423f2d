/// The reason why a request to PostgreSQL failed.
public enum PostgresError: Error, Equatable, Sendable {
  /// There is no connection; nothing was sent.
  case unreachable(reason: String)
  /// The connection ended during the request: the server may have done it, or not.
  case interrupted(reason: String)
  /// The server rejected a statement; a transaction around it was rolled back.
  case rejected(ServerMessage)
  /// libpq did not accept the request; nothing was done.
  case invalid(statement: String, reason: String)

  /// An error as the server reports it.
  public struct ServerMessage: Equatable, Sendable {
    /// The five characters of the error code ("PostgreSQL Error Codes", appendix A of its documentation).
    public var state: String
    public var message: String
    /// Empty if there is none.
    public var detail: String
    /// The name of the violated constraint; empty if there is none.
    public var constraint: String
    /// The statement that failed.
    public var statement: String

    public init(
      state: String, message: String, detail: String = "", constraint: String = "", statement: String = ""
    ) {
      self.state = state
      self.message = message
      self.detail = detail
      self.constraint = constraint
      self.statement = statement
    }
  }
}

extension PostgresError: CustomStringConvertible {
  public var description: String {
    switch self {
    case .unreachable(let reason):
      "no connection to the database (\(reason)); check that PostgreSQL runs, and the address in --database"
    case .interrupted(let reason): "the connection to the database ended during a request (\(reason))"
    case .rejected(let answer):
      "the database rejects a statement: \(answer.message)\(answer.detail.isEmpty ? "" : " (\(answer.detail))") "
        + "[\(answer.state)] in: \(Self.beginning(of: answer.statement))"
    case .invalid(let statement, let reason):
      "libpq does not accept a statement (\(reason)): \(Self.beginning(of: statement))"
    }
  }

  /// The first 80 characters in one line.
  private static func beginning(of statement: String) -> String {
    statement.split(whereSeparator: \.isWhitespace).joined(separator: " ").prefix(80).description
  }
}
