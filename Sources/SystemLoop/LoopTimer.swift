import Quantities

/// A named deadline of the loop: armed, it calls its handler once.
///
/// `slack` says how much earlier the work may be done, so that it can join a wake-up that happens anyway: a
/// timer fires at its moment, or before it, within the slack, when it would otherwise cost a wake-up of its own.
public final class LoopTimer {
  public let name: StaticString
  let handler: (Moment) -> Void
  private(set) var deadline: Moment?
  private(set) var earliest = Moment.zero

  init(name: StaticString, handler: @escaping (Moment) -> Void) {
    self.name = name
    self.handler = handler
  }

  /// Arms or disarms. `slack` is zero for work that must not be early.
  public func arm(at deadline: Moment?, slack: Duration = .zero) {
    self.deadline = deadline
    earliest = deadline.map { $0 - slack } ?? .zero
  }

  public var isArmed: Bool { deadline != nil }
}

/// Which timers join a wake-up before they are due, decided without a clock.
enum TimerSchedule {
  /// A timer as the schedule sees it.
  struct Entry {
    var deadline: Moment
    var earliest: Moment
  }

  /// True when the work may be done now and would otherwise cost a wake-up of its own: it lies within its slack, and
  /// its deadline comes before the next wake-up that is needed anyway.
  static func canJoin(_ entry: Entry, now: Moment, nextCertainWake: Moment?) -> Bool {
    guard entry.earliest <= now, let nextCertainWake else { return false }
    return entry.deadline < nextCertainWake
  }

  /// The earliest deadline among timers that cannot be done yet; nil when there is none.
  static func nextCertainWake(_ entries: some Sequence<Entry>, now: Moment) -> Moment? {
    var earliest: Moment?
    for entry in entries where entry.earliest > now {
      if earliest.map({ entry.deadline < $0 }) ?? true { earliest = entry.deadline }
    }
    return earliest
  }
}
