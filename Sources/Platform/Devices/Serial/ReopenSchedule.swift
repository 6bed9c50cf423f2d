import Quantities

/// Back-off for reopening a lost port or connection: soon at first, then with growing delays of at most 15 s.
///
/// The delay keeps growing if the connection is soon lost again. A loose cable therefore does not cause a
/// reopening and a log line every second.
public struct ReopenSchedule: Equatable, Sendable {
  static let first = Duration.milliseconds(500)
  static let longest = Duration.seconds(15)
  /// Time after which the connection counts as stable, so that the next loss starts with a short delay.
  static let steady = Duration.seconds(10)

  private var backoff = Backoff(from: Self.first, upTo: Self.longest)
  private var connectedSince: Moment?

  public init() {}

  /// Records data on the open connection. The time counts from the first call after ``next(now:)``.
  public mutating func received(now: Moment) {
    if connectedSince == nil { connectedSince = now }
  }

  /// Returns the delay before the next attempt after a loss or a failed attempt. It doubles with each call
  /// until a connection was stable.
  public mutating func next(now: Moment) -> Duration {
    if let connectedSince, now - connectedSince >= Self.steady { backoff.reset() }
    connectedSince = nil
    return backoff.next()
  }
}
