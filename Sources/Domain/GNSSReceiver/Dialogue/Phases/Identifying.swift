import GNSSProtocol
import Quantities

/// Sends the version queries of one family after the other until an answer identifies the receiver.
struct Identifying: Sendable {
  /// The result of the phase.
  enum Outcome: Equatable, Sendable {
    case asking
    case identified(ReceiverIdentity)
    /// No query was answered.
    case silent
  }

  private var queries: [ReceiverCommand]
  private var index = -1
  private(set) var deadline: Moment?

  init(_ queries: [ReceiverCommand]) { self.queries = queries }

  /// Starts with the first query. On a slow line a receiver drops messages that do not fit, so every query is
  /// sent twice.
  mutating func begin(line: LineState, now: Moment, _ actions: inout [DialogueAction]) -> Outcome {
    if line.isSlow { queries += queries }
    return askNext(line, now: now, &actions)
  }

  func take(_ answer: ReceiverAnswer) -> Outcome {
    guard case .version(let identity) = answer else { return .asking }
    return .identified(identity)
  }

  mutating func handleTimeout(line: LineState, now: Moment, _ actions: inout [DialogueAction]) -> Outcome {
    guard let deadline, now >= deadline else { return .asking }
    return askNext(line, now: now, &actions)
  }

  private mutating func askNext(
    _ line: LineState, now: Moment, _ actions: inout [DialogueAction]
  ) -> Outcome {
    index += 1
    guard queries.indices.contains(index) else {
      deadline = nil
      return .silent
    }
    actions.append(.write(queries[index].bytes))
    deadline = now.after(line.isSlow ? .seconds(2) : .milliseconds(1200))
    return .asking
  }
}
