import EventLoop
import Quantities
import System

/// A connection for command-line tools: every call waits until it is done, by running an event loop of its own.
public final class BlockingConnection {
  private let loop: EventLoop
  private let connection: PostgresConnection

  /// Connects, once. `address` is a connection string or URI of libpq.
  public init(_ address: String) throws(PostgresError) {
    let loop: EventLoop
    do throws(SystemError) { loop = try EventLoop() } catch { throw .unreachable(reason: "\(error)") }
    self.loop = loop
    let outcome = Outcome()
    connection = PostgresConnection(address, loop: loop) { event in
      if case .lost(let error) = event { outcome.failure = error }
      loop.stop()
    }
    connection.start()
    if !connection.isConnected, outcome.failure == nil {
      do throws(SystemError) { try loop.run() } catch { throw .unreachable(reason: "\(error)") }
    }
    if let failure = outcome.failure {
      connection.close()
      throw failure
    }
  }

  deinit { connection.close() }

  private final class Outcome {
    var failure: PostgresError?
    var result: Result<[QueryResult], PostgresError>?
  }

  /// Performs a request and returns the result of each of its statements.
  @discardableResult
  public func perform(_ request: PostgresRequest) throws(PostgresError) -> [QueryResult] {
    let outcome = Outcome()
    connection.perform(request) { [loop] result in
      outcome.result = result
      loop.stop()
    }
    // Losing the connection stops the loop, too; the completion follows in the next turn.
    while outcome.result == nil {
      do throws(SystemError) { try loop.run() } catch { throw .interrupted(reason: "\(error)") }
    }
    switch outcome.result {
    case .success(let results): return results
    case .failure(let error): throw error
    case nil: return []
    }
  }

  /// Performs one statement.
  @discardableResult
  public func query(_ sql: String, _ parameters: [PostgresParameter] = []) throws(PostgresError)
    -> QueryResult?
  {
    try perform(.statement(PostgresCommand(sql, parameters, isPrepared: false), limit: nil)).first
  }

  /// Runs statements without parameters.
  public func run(_ script: String) throws(PostgresError) { try perform(.script(script)) }
}
