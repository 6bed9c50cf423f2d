import Quantities

/// The queue of events for a program or URL of `notifications`, and the calls in progress.
///
/// Queue, calls and the time of a call are bounded, so a call that hangs does not affect the logger. Failures are counted and
/// reported once until a call succeeds.
struct HookQueue {
  /// An event as it is passed to a call.
  struct Event: Equatable, Sendable {
    /// A header of the request to a URL.
    struct Header: Equatable, Sendable {
      var name: String
      var value: String
    }

    var kind: String
    /// The event as one JSON object, or as text.
    var body: [UInt8]
    /// The headers of the form; empty for JSON.
    var headers: [Header] = []
    /// The timeout of the call.
    var timeout = HookQueue.callTimeout
  }

  /// An action that the queue requests from its owner.
  enum Action: Equatable {
    case call(UInt64, Event)
    case abandon(UInt64)
    /// Reports that calls fail. `count` of them have failed since the start.
    case report(reason: String, count: Int64)
  }

  /// The maximum number of calls at a time, unless fewer are given.
  static let mostCalls = 2
  /// The maximum number of queued events.
  static let mostWaiting = 32
  /// The timeout of a call, unless the event has another one.
  static let callTimeout = Duration.seconds(30)

  /// The number of successful calls.
  private(set) var handedOver: Int64 = 0
  /// The number of events whose call failed or that were dropped from the queue.
  private(set) var failures: Int64 = 0
  private let mostCalls: Int
  private var waiting: [Event] = []
  private var calls: [UInt64: (deadline: Moment, timeout: Duration)] = [:]
  private var lastNumber: UInt64 = 0
  /// The reason why the last call failed; nil while calls succeed.
  private(set) var failure: String?

  init(mostCalls: Int = HookQueue.mostCalls) { self.mostCalls = mostCalls }

  /// Queues an event; drops the oldest one if the queue is full.
  mutating func add(_ event: Event, now: Moment) -> [Action] {
    waiting.append(event)
    let begun = begin(now: now)
    guard waiting.count > Self.mostWaiting else { return begun }
    waiting.removeFirst()
    return begun + fail("more than \(Self.mostWaiting) events are queued; the oldest is dropped")
  }

  /// Handles the end of a call; `failure` is nil if it succeeded.
  mutating func ended(_ number: UInt64, failure: String?, now: Moment) -> [Action] {
    guard calls.removeValue(forKey: number) != nil else { return [] }
    var actions: [Action] = []
    if let failure {
      actions = fail(failure)
    } else {
      handedOver += 1
      self.failure = nil
    }
    return actions + begin(now: now)
  }

  /// True while events are queued or calls are in progress.
  var isBusy: Bool { !calls.isEmpty || !waiting.isEmpty }

  /// The earliest timeout of a call.
  var nextTimeout: Moment? { calls.values.lazy.map { $0.deadline }.min() }

  /// Abandons the calls that have timed out.
  mutating func handleTimeout(now: Moment) -> [Action] {
    var actions: [Action] = []
    for (number, call) in calls.sorted(by: { $0.key < $1.key }) where call.deadline <= now {
      calls[number] = nil
      actions.append(.abandon(number))
      actions += fail("timeout after \(call.timeout.wholeSeconds) s")
    }
    return actions + begin(now: now)
  }

  private mutating func begin(now: Moment) -> [Action] {
    var actions: [Action] = []
    while calls.count < mostCalls, !waiting.isEmpty {
      lastNumber &+= 1
      let event = waiting.removeFirst()
      calls[lastNumber] = (now + event.timeout, event.timeout)
      actions.append(.call(lastNumber, event))
    }
    return actions
  }

  private mutating func fail(_ reason: String) -> [Action] {
    failures += 1
    defer { failure = reason }
    return failure == nil ? [.report(reason: reason, count: failures)] : []
  }
}
