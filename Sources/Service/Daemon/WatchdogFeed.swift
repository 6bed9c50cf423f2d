import Quantities

/// Decides when the watchdog of the supervisor is notified: only while the loop runs and the store's worker has returned a
/// token since the last notification.
///
/// An idle logger is notified as well; one with a blocked loop or worker is not. Normally a token costs no wake-up: the loop
/// finds it when the next notification is due. Only if it is late, the next token wakes the loop.
public struct WatchdogFeed: Equatable, Sendable {
  /// An action that the owner carries out.
  public enum Action: Equatable, Sendable {
    /// Pass the token to the worker. If `urgent`, its return wakes the loop.
    case send(token: UInt64, urgent: Bool)
    /// Notify the watchdog.
    case feed
  }

  private enum Phase: Equatable, Sendable {
    /// No token was sent yet.
    case beginning(at: Moment)
    case asked(at: Moment, isAnswered: Bool)
    /// A notification is due, and the worker has not returned the token.
    case late
  }

  private let interval: Duration
  private var phase: Phase
  private var token: UInt64 = 0

  /// - Parameters:
  ///   - interval: half of the watchdog timeout of the supervisor.
  ///   - now: the present time.
  public init(interval: Duration, now: Moment) {
    self.interval = interval
    phase = .beginning(at: now)
  }

  /// The time for ``handleTimeout(now:)``; nil while a late token is awaited.
  public var nextWake: WakeWindow? {
    switch phase {
    case .beginning(let moment): WakeWindow(at: moment)
    case .asked(let asked, _): WakeWindow(by: asked + interval, orEarlier: interval / 2)
    case .late: nil
    }
  }

  /// Handles the deadline of ``nextWake``.
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

  /// Handles a token that the worker returned; an old one is ignored.
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
