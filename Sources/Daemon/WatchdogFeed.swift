import Quantities

/// Decides when the supervisor's watchdog is fed: only when the loop comes to do it and the store's worker has answered
/// a token that was sent since the feed before.
///
/// A box that is parked and writes nothing is fed; one whose loop or whose worker hangs is not. A worker that answers
/// costs the loop no wake-up: its answer is found when the next feed is due. Only when it is late then does the next
/// token ask for an answer that wakes.
public struct WatchdogFeed: Equatable, Sendable {
  public enum Action: Equatable, Sendable {
    /// Hand the token to the worker. `urgent`: its answer is to wake the loop.
    case send(token: UInt64, urgent: Bool)
    case feed
  }

  private enum Phase: Equatable, Sendable {
    /// The worker has not been asked yet.
    case beginning(at: Moment)
    case asked(at: Moment, isAnswered: Bool)
    /// The feed is due, and the worker has not answered.
    case late
  }

  private let interval: Duration
  private var phase: Phase
  private var token: UInt64 = 0

  /// `interval` is half of what the supervisor allows.
  public init(interval: Duration, now: Moment) {
    self.interval = interval
    phase = .beginning(at: now)
  }

  /// When ``handleTimeout(now:)`` is wanted; nil while a late answer is awaited: a feed that is not earned has no
  /// deadline.
  public var nextWake: WakeWindow? {
    switch phase {
    case .beginning(let moment): WakeWindow(at: moment)
    case .asked(let asked, _): WakeWindow(by: asked + interval, orEarlier: interval / 2)
    case .late: nil
    }
  }

  public mutating func handleTimeout(now: Moment) -> [Action] {
    switch phase {
    case .beginning: return [ask(now: now)]
    case .asked(_, isAnswered: true): return [.feed, ask(now: now)]
    case .asked(_, isAnswered: false):
      phase = .late
      token &+= 1
      return [.send(token: token, urgent: true)]
    case .late: return []
    }
  }

  public mutating func workerAnswered(_ answer: UInt64, now: Moment) -> [Action] {
    guard answer == token else { return [] }
    switch phase {
    case .beginning: return []
    case .asked(let asked, _):
      phase = .asked(at: asked, isAnswered: true)
      return []
    case .late: return [.feed, ask(now: now)]
    }
  }

  private mutating func ask(now: Moment) -> Action {
    phase = .asked(at: now, isAnswered: false)
    token &+= 1
    return .send(token: token, urgent: false)
  }
}
