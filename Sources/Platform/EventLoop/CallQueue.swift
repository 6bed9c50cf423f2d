import Quantities

/// Decides which questions are asked on which thread: a bounded number, each by few threads, and one answer for all who
/// ask the same at nearly the same time.
///
/// A call that never returns occupies its thread. The bound per question leaves threads for the others.
struct CallQueue<Question: Hashable & Sendable> {
  /// The bounds of a queue.
  struct Limits: Equatable, Sendable {
    /// The most threads at once.
    var threads = 8
    /// The most threads at once for the same question.
    var threadsPerQuestion = 3
    /// The age up to which a running call serves others that ask the same.
    var joinable = Duration.seconds(5)
  }

  /// A call to start.
  struct Start: Equatable, Sendable {
    let call: UInt64
    let question: Question
  }

  private struct Call {
    let number: UInt64
    let question: Question
    let start: Moment
    var tickets: [UInt64]
  }

  private let limits: Limits
  private var running: [Call] = []
  private var waiting: [(question: Question, ticket: UInt64)] = []
  private var lastCall: UInt64 = 0

  init(_ limits: Limits) { self.limits = limits }

  /// True while somebody waits for an answer.
  var hasTickets: Bool { !waiting.isEmpty || running.contains { !$0.tickets.isEmpty } }

  /// The number of threads, including those that nobody waits for.
  var threadCount: Int { running.count }

  /// Takes a question; returns the call to start, or nil if it joins another one or waits for a thread.
  mutating func ask(_ question: Question, ticket: UInt64, now: Moment) -> Start? {
    if let index = running.lastIndex(where: { $0.question == question && now - $0.start < limits.joinable }) {
      running[index].tickets.append(ticket)
      return nil
    }
    guard canStart(question) else {
      waiting.append((question, ticket))
      return nil
    }
    return start(question, [ticket], now: now)
  }

  /// Forgets a question. Its call goes on if it has started.
  mutating func cancel(_ ticket: UInt64) {
    waiting.removeAll { $0.ticket == ticket }
    for index in running.indices { running[index].tickets.removeAll { $0 == ticket } }
  }

  /// Takes the end of a call; returns who gets its answer, and the calls to start in its place.
  mutating func end(_ call: UInt64, now: Moment) -> (tickets: [UInt64], starts: [Start]) {
    guard let index = running.firstIndex(where: { $0.number == call }) else { return ([], []) }
    let ended = running.remove(at: index)
    var starts: [Start] = []
    while let next = waiting.first(where: { canStart($0.question) })?.question {
      let tickets = waiting.filter { $0.question == next }.map(\.ticket)
      waiting.removeAll { $0.question == next }
      starts.append(start(next, tickets, now: now))
    }
    return (ended.tickets, starts)
  }

  private func canStart(_ question: Question) -> Bool {
    running.count < limits.threads
      && running.count(where: { $0.question == question }) < limits.threadsPerQuestion
  }

  private mutating func start(_ question: Question, _ tickets: [UInt64], now: Moment) -> Start {
    lastCall &+= 1
    running.append(Call(number: lastCall, question: question, start: now, tickets: tickets))
    return Start(call: lastCall, question: question)
  }
}
