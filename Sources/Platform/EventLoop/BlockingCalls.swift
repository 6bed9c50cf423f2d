import Quantities
import Synchronization
import System

/// A function that may block for a long time, called on threads beside the loop: a lookup of a name, a read of a file.
///
/// A thread exists during a call only. Their number is bounded by ``CallQueue``; nothing joins them. Not thread-safe: it
/// belongs to the loop's thread.
public final class BlockingCalls<Question: Hashable & Sendable, Answer: Sendable> {
  /// Identifies a question that waits for its answer.
  public struct Ticket: Hashable, Sendable {
    fileprivate let number: UInt64
  }

  /// The answers of the threads on their way to the loop.
  private final class Returns: Sendable {
    let answers = Mutex<[(call: UInt64, answer: Answer)]>([])
    let arrived: EventDescriptor

    init() throws(SystemError) { arrived = try EventDescriptor(blocking: false) }
  }

  private let name: String
  private let loop: EventLoop
  private let function: @Sendable (Question) -> Answer
  private let onNoThread: (SystemError) -> Answer
  private let returns: Returns
  private var queue = CallQueue<Question>(CallQueue<Question>.Limits())
  private var completions: [UInt64: (Answer) -> Void] = [:]
  private var registration: EventLoop.Registration?
  private var lastTicket: UInt64 = 0

  /// Prepares calls of `function` on threads called `name`. `onNoThread` supplies the answer if no thread can be started.
  public init(
    _ name: String, loop: EventLoop, _ function: @escaping @Sendable (Question) -> Answer,
    onNoThread: @escaping (SystemError) -> Answer
  ) throws(SystemError) {
    (self.name, self.loop, self.function, self.onNoThread) = (name, loop, function, onNoThread)
    returns = try Returns()
    registration = try loop.watch(returns.arrived.raw, for: .readable) { [weak self] _ in self?.deliver() }
  }

  deinit { if let registration { loop.remove(registration) } }

  /// True while an answer is awaited.
  public var isBusy: Bool { queue.hasTickets }

  /// Asks a question. `completion` is called once, in a later turn of the loop, unless the ticket is cancelled.
  public func ask(_ question: Question, completion: @escaping (Answer) -> Void) -> Ticket {
    lastTicket &+= 1
    completions[lastTicket] = completion
    if let start = queue.ask(question, ticket: lastTicket, now: loop.now) { begin(start) }
    return Ticket(number: lastTicket)
  }

  /// Forgets a question; its thread goes on until the function returns.
  public func cancel(_ ticket: Ticket) {
    completions[ticket.number] = nil
    queue.cancel(ticket.number)
  }

  private func begin(_ start: CallQueue<Question>.Start) {
    let (function, returns) = (function, returns)
    do throws(SystemError) {
      try DetachedThread.start(name) {
        let answer = function(start.question)
        returns.answers.withLock { $0.append((start.call, answer)) }
        returns.arrived.signal()
      }
    } catch {
      let answer = onNoThread(error)
      returns.answers.withLock { $0.append((start.call, answer)) }
      returns.arrived.signal()
    }
  }

  private func deliver() {
    returns.arrived.wait()
    let arrived = returns.answers.withLock { answers in
      defer { answers = [] }
      return answers
    }
    for (call, answer) in arrived {
      let (tickets, starts) = queue.end(call, now: loop.now)
      for start in starts { begin(start) }
      // A completion may ask again or cancel others.
      for ticket in tickets { completions.removeValue(forKey: ticket)?(answer) }
    }
  }
}
