import Quantities

/// Decides when the supervisor's watchdog is fed: only after the loop and the store's worker have both answered a
/// token that was sent for that feed.
///
/// A box that is parked and writes nothing is fed; one whose loop or whose worker hangs is not.
public struct WatchdogFeed: Equatable, Sendable {
  public enum Action: Equatable, Sendable {
    /// Hand the token to the worker and to the loop's next turn.
    case send(token: UInt64)
    case feed
  }

  private enum Phase: Equatable, Sendable {
    case resting(until: Moment)
    case waiting(loop: Bool, worker: Bool)
  }

  private let interval: Duration
  private var phase: Phase
  private var token: UInt64 = 0

  /// `interval` is half of what the supervisor allows; the first feed is due at once.
  public init(interval: Duration, now: Moment) {
    self.interval = interval
    phase = .resting(until: now)
  }

  /// When the next token is due; nil while answers are awaited: a feed that is not earned has no deadline.
  public var nextTimeout: Moment? {
    switch phase {
    case .resting(let until): until
    case .waiting: nil
    }
  }

  /// How much earlier than due the feed may be, to join another wake-up.
  public var slack: Duration { interval / 4 }

  public mutating func handleTimeout() -> Action? {
    switch phase {
    case .resting:
      token &+= 1
      phase = .waiting(loop: false, worker: false)
      return .send(token: token)
    case .waiting: return nil
    }
  }

  public mutating func loopAnswered(_ answer: UInt64, now: Moment) -> Action? {
    take(answer, now: now) { loop, worker in (true, worker) }
  }

  public mutating func workerAnswered(_ answer: UInt64, now: Moment) -> Action? {
    take(answer, now: now) { loop, worker in (loop, true) }
  }

  private mutating func take(
    _ answer: UInt64, now: Moment, _ mark: (Bool, Bool) -> (Bool, Bool)
  ) -> Action? {
    guard case .waiting(let loop, let worker) = phase, answer == token else { return nil }
    let answered = mark(loop, worker)
    guard answered.0, answered.1 else {
      phase = .waiting(loop: answered.0, worker: answered.1)
      return nil
    }
    phase = .resting(until: now + interval)
    return .feed
  }
}
