import EventLoop
import FleetRecords
import PostgreSQL
import Quantities
import WebAccess

/// Reads from the database for people, beside the ingest: on a connection of its own, one request at a time, in
/// transactions that only read and that the server ends after a short time.
final class FleetReader {
  /// The most requests that wait for the connection.
  static let mostWaiting = 16
  /// The time after which the connection is dropped; longer than all statements of a request take.
  private static let limit = Duration.seconds(20)

  private let connection: PostgresConnection
  /// The time after which the server cancels a statement.
  private let statementLimit: Duration
  private var waiting = 0

  init(_ address: String, loop: EventLoop, statementLimit: Duration) {
    self.statementLimit = statementLimit
    connection = PostgresConnection(address, loop: loop)
    connection.start()
  }

  func stop() { connection.close() }

  /// Performs statements in one transaction, and gives the result of each. The completion is called once, possibly within
  /// this call.
  func read(
    _ commands: [PostgresCommand], completion: @escaping (Result<[QueryResult], Problem>) -> Void
  ) {
    guard waiting < Self.mostWaiting else {
      return completion(.failure(Problem(503, "too many requests wait for the database; retry later")))
    }
    waiting += 1
    let rules = [
      PostgresCommand("SET TRANSACTION READ ONLY", isPrepared: false),
      PostgresCommand("SET LOCAL statement_timeout = \(statementLimit.wholeMilliseconds)", isPrepared: false),
    ]
    connection.perform(.transaction(rules + commands, limit: Self.limit)) { [weak self] result in
      self?.waiting -= 1
      switch result {
      case .success(let results): completion(.success(Array(results.dropFirst(rules.count))))
      case .failure(let error): completion(.failure(Self.problem(error)))
      }
    }
  }

  private static func problem(_ error: PostgresError) -> Problem {
    switch error {
    case .rejected(let answer) where answer.state == "57014":
      Problem(
        503, "the database took too long; ask for a shorter period or fewer devices")
    case .rejected(let answer):
      switch WriteFault(state: answer.state) {
      case .noTables, .diskFull: Problem(503, "\(WriteFault(state: answer.state))")
      default: Problem(503, "the database rejects the request: \(answer.message)")
      }
    case .unreachable: Problem(503, "\(WriteFault.unreachable); retry later")
    case .interrupted: Problem(503, "the connection to the database ended during the request; retry later")
    case .invalid(_, let reason): Problem(500, "the request cannot be sent to the database: \(reason)")
    }
  }
}
