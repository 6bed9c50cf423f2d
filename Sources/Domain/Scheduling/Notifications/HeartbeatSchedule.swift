import Quantities

/// Decides when a sign of life is due at a monitor, which alerts people when it stays out.
///
/// It is due once in ``every``, and earlier if logging fails or works again. It has no session of the radio of its own: the
/// owner asks with every send. Only if the radio is not switched, it goes alone when no send came for a quarter of the
/// interval.
public struct HeartbeatSchedule: Sendable {
  /// The minimum time between two attempts.
  public static let leastPause = Duration.seconds(60)

  public let every: Duration
  /// True if it may go without a send, because the network is not switched.
  public let isAlone: Bool
  /// The time of the last attempt; nil before the first.
  public private(set) var lastAttempt: Moment?
  /// The time of the last sign of life that the monitor took; nil before the first.
  public private(set) var lastSuccess: Moment?
  /// The reason why the last attempt failed; nil if it did not.
  public private(set) var failure: String?
  private var start: Moment
  private var reported: Bool?
  private var pending: Bool?

  public init(every: Duration, isAlone: Bool, now: Moment) {
    self.every = max(every, Self.leastPause)
    self.isAlone = isAlone
    start = now
  }

  /// True if a send should take the sign of life along. `isHealthy` is the state that it would report.
  public func isDue(isHealthy: Bool, now: Moment) -> Bool {
    guard pending == nil else { return false }
    if let lastAttempt, now - lastAttempt < Self.leastPause { return false }
    guard let lastSuccess, failure == nil else { return true }
    return now - lastSuccess >= every || isHealthy != reported
  }

  /// The time at which the sign of life goes without a send; nil if it may not.
  public var nextTimeout: Moment? {
    guard isAlone, pending == nil else { return nil }
    let due = failure == nil ? (lastSuccess.map { $0 + every } ?? start) : (lastAttempt ?? start)
    return max(due + every / 4, (lastAttempt ?? start) + Self.leastPause)
  }

  /// An attempt begins, which reports this state.
  public mutating func begin(isHealthy: Bool, now: Moment) {
    (lastAttempt, pending) = (now, isHealthy)
  }

  /// The attempt has ended; `failure` is nil if the monitor took it.
  public mutating func end(failure: String?, now: Moment) {
    guard let pending else { return }
    self.failure = failure
    self.pending = nil
    guard failure == nil else { return }
    (lastSuccess, reported) = (now, pending)
  }
}
