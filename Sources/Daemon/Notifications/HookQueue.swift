import Quantities

/// Which events wait for the program or URL of `notifications`, and which calls are under way.
///
/// Both are bounded, and so is the time of a call: what is called may hang, and the logger goes on. A failure is counted,
/// and told once until a call succeeds.
struct HookQueue {
  /// An event as it is handed over.
  struct Event: Equatable, Sendable {
    var kind: String
    /// One JSON object.
    var json: [UInt8]
  }

  enum Action: Equatable {
    case call(UInt64, Event)
    case abandon(UInt64)
    /// Tell that calls fail; `count` of them since the start.
    case report(reason: String, count: Int64)
  }

  /// Calls at a time.
  static let mostCalls = 2
  static let mostWaiting = 32
  /// For one call.
  static let patience = Duration.seconds(30)

  /// Events that were handed over.
  private(set) var handedOver: Int64 = 0
  /// Events that were not: their call failed, or there was no room for them.
  private(set) var failures: Int64 = 0
  private var waiting: [Event] = []
  private var calls: [UInt64: Moment] = [:]
  private var lastNumber: UInt64 = 0
  /// Why the last call was in vain; nil while calls succeed.
  private(set) var trouble: String?

  mutating func add(_ event: Event, now: Moment) -> [Action] {
    waiting.append(event)
    let begun = begin(now: now)
    guard waiting.count > Self.mostWaiting else { return begun }
    waiting.removeFirst()
    return begun + fail("more than \(Self.mostWaiting) events wait; the oldest is left out")
  }

  /// A call came to its end: `failure` says why it was in vain, nil that it was not.
  mutating func ended(_ number: UInt64, failure: String?, now: Moment) -> [Action] {
    guard calls.removeValue(forKey: number) != nil else { return [] }
    var actions: [Action] = []
    if let failure {
      actions = fail(failure)
    } else {
      handedOver += 1
      trouble = nil
    }
    return actions + begin(now: now)
  }

  /// Somebody has still to be told.
  var isBusy: Bool { !calls.isEmpty || !waiting.isEmpty }

  var nextTimeout: Moment? { calls.values.min() }

  mutating func handleTimeout(now: Moment) -> [Action] {
    var actions: [Action] = []
    for (number, deadline) in calls.sorted(by: { $0.key < $1.key }) where deadline <= now {
      calls[number] = nil
      actions.append(.abandon(number))
      actions += fail("not done within \(Self.patience.wholeSeconds) s")
    }
    return actions + begin(now: now)
  }

  private mutating func begin(now: Moment) -> [Action] {
    var actions: [Action] = []
    while calls.count < Self.mostCalls, !waiting.isEmpty {
      lastNumber &+= 1
      calls[lastNumber] = now + Self.patience
      actions.append(.call(lastNumber, waiting.removeFirst()))
    }
    return actions
  }

  private mutating func fail(_ reason: String) -> [Action] {
    failures += 1
    defer { trouble = reason }
    return trouble == nil ? [.report(reason: reason, count: failures)] : []
  }
}
