/// A statement with its parameters.
public struct PostgresCommand {
  public var sql: String
  public var parameters: [PostgresParameter]
  /// True if the statement is prepared once per connection; false for a text that is used once.
  public var isPrepared: Bool

  public init(_ sql: String, _ parameters: [PostgresParameter] = [], isPrepared: Bool = true) {
    self.sql = sql
    self.parameters = parameters
    self.isPrepared = isPrepared
  }
}

/// The work of one round trip to the server.
public struct PostgresRequest {
  enum Work {
    case pipeline([PostgresCommand], isTransaction: Bool)
    case script(String)
  }

  let work: Work
  /// The connection is dropped if the server takes longer; nil for any time.
  let limit: Duration?

  /// The usual limit of a request.
  public static let usualLimit = Duration.seconds(30)

  /// Statements that are committed together, or not at all. It succeeds only if the server confirmed COMMIT.
  public static func transaction(
    _ commands: [PostgresCommand], limit: Duration? = PostgresRequest.usualLimit
  ) -> PostgresRequest {
    PostgresRequest(work: .pipeline(commands, isTransaction: true), limit: limit)
  }

  /// One statement with its own transaction.
  public static func statement(
    _ command: PostgresCommand, limit: Duration? = PostgresRequest.usualLimit
  ) -> PostgresRequest {
    PostgresRequest(work: .pipeline([command], isTransaction: false), limit: limit)
  }

  /// One or several statements without parameters and results, as psql(1) sends them. Several are one transaction, unless
  /// they contain BEGIN or COMMIT.
  public static func script(_ sql: String, limit: Duration? = nil) -> PostgresRequest {
    PostgresRequest(work: .script(sql), limit: limit)
  }
}
