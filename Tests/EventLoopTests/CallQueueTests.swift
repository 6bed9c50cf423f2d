import Quantities
import Testing

@testable import EventLoop

@Suite struct CallQueueTests {
  /// The queue as an object, because `#expect` cannot change a value.
  private final class Queue<Question: Hashable & Sendable> {
    private var value = CallQueue<Question>(.init())

    var hasTickets: Bool { value.hasTickets }
    var threadCount: Int { value.threadCount }
    func ask(_ question: Question, ticket: UInt64, now: Moment) -> CallQueue<Question>.Start? {
      value.ask(question, ticket: ticket, now: now)
    }
    func cancel(_ ticket: UInt64) { value.cancel(ticket) }
    func end(_ call: UInt64, now: Moment) -> (tickets: [UInt64], starts: [CallQueue<Question>.Start]) {
      value.end(call, now: now)
    }
  }

  private static func at(_ seconds: Int) -> Moment { .zero + .seconds(seconds) }

  @Test func theSameQuestionJoinsACallThatHasJustStarted() {
    let queue = Queue<String>()
    let first = queue.ask("a", ticket: 1, now: Self.at(0))
    #expect(first?.question == "a")
    #expect(queue.ask("a", ticket: 2, now: Self.at(4)) == nil)
    #expect(queue.end(first?.call ?? 0, now: Self.at(5)).tickets == [1, 2])
    #expect(!queue.hasTickets && queue.threadCount == 0)
  }

  @Test func aCallThatTakesLongIsNotJoined() {
    let queue = Queue<String>()
    _ = queue.ask("a", ticket: 1, now: Self.at(0))
    #expect(queue.ask("a", ticket: 2, now: Self.at(5)) != nil)
    #expect(queue.threadCount == 2)
  }

  @Test func aQuestionWithoutAnAnswerDoesNotUseUpTheThreads() {
    let queue = Queue<String>()
    // A destination that asks every minute, while no call ever returns.
    for minute in 0..<600 {
      let ticket = UInt64(minute)
      _ = queue.ask("silent", ticket: ticket, now: Self.at(60 * minute))
      queue.cancel(ticket)
    }
    #expect(queue.threadCount == 3)
    #expect(queue.ask("other", ticket: 1000, now: Self.at(36_000)) != nil)
  }

  @Test func theNumberOfThreadsIsBounded() {
    let queue = Queue<Int>()
    for number in 0..<100 { _ = queue.ask(number, ticket: UInt64(number), now: Self.at(0)) }
    #expect(queue.threadCount == 8)
  }

  @Test func aWaitingQuestionGetsTheThreadOfACallThatEnds() {
    let queue = Queue<Int>()
    let starts = (0..<8).compactMap { queue.ask($0, ticket: UInt64($0), now: Self.at(0)) }
    #expect(queue.ask(8, ticket: 8, now: Self.at(1)) == nil)
    #expect(queue.ask(8, ticket: 9, now: Self.at(1)) == nil)
    #expect(queue.ask(9, ticket: 10, now: Self.at(1)) == nil)
    let (tickets, next) = queue.end(starts[3].call, now: Self.at(2))
    #expect(tickets == [3] && next.map(\.question) == [8] && queue.threadCount == 8)
    // The questions that waited for the same answer get it together.
    #expect(queue.end(next[0].call, now: Self.at(3)).tickets == [8, 9])
  }

  @Test func aCancelledQuestionIsNotAskedLater() {
    let queue = Queue<Int>()
    let starts = (0..<8).compactMap { queue.ask($0, ticket: UInt64($0), now: Self.at(0)) }
    _ = queue.ask(8, ticket: 8, now: Self.at(1))
    queue.cancel(8)
    queue.cancel(0)
    let (tickets, next) = queue.end(starts[0].call, now: Self.at(2))
    #expect(tickets.isEmpty && next.isEmpty)
  }

  @Test(arguments: [1 as UInt64, 42, 20_261_130])
  func whateverHappensEveryTicketIsAnsweredOnceAtMostAndTheBoundsHold(seed: UInt64) {
    var random = SplitMix(seed)
    let queue = Queue<Int>()
    var (running, open, answered): ([UInt64: Int], Set<UInt64>, Set<UInt64>) = ([:], [], [])
    for step in 0..<5000 {
      let now = Self.at(step)
      switch random.next() % 3 {
      case 0:
        let ticket = UInt64(step)
        open.insert(ticket)
        if let start = queue.ask(Int(random.next() % 12), ticket: ticket, now: now) {
          running[start.call] = start.question
        }
      case 1:
        if let ticket = open.sorted().first {
          queue.cancel(ticket)
          open.remove(ticket)
        }
      default:
        guard let call = running.keys.sorted().first else { continue }
        running[call] = nil
        let (tickets, starts) = queue.end(call, now: now)
        for ticket in tickets {
          let (wasOpen, isNew) = (open.remove(ticket) != nil, answered.insert(ticket).inserted)
          #expect(wasOpen && isNew)
        }
        for start in starts { running[start.call] = start.question }
      }
      #expect(running.count <= 8 && queue.threadCount == running.count)
      #expect(Dictionary(grouping: running.values, by: { $0 }).values.allSatisfy { $0.count <= 3 })
      #expect(queue.hasTickets == !open.isEmpty)
    }
  }

  private struct SplitMix {
    private var state: UInt64
    init(_ seed: UInt64) { state = seed }
    mutating func next() -> UInt64 {
      state &+= 0x9E37_79B9_7F4A_7C15
      var value = state
      value = (value ^ (value >> 30)) &* 0xBF58_476D_1CE4_E5B9
      value = (value ^ (value >> 27)) &* 0x94D0_49BB_1331_11EB
      return value ^ (value >> 31)
    }
  }
}
