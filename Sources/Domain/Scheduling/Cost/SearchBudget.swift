import Quantities

/// Limits acquisition, with a back-off that grows with every failure.
public struct SearchBudget: Equatable, Sendable {
  /// The decision after a timeout.
  public enum Answer: Equatable, Sendable {
    /// Continue, or do nothing because no acquisition is in progress.
    case goOn
    /// Stop: sleep for this long before the next attempt.
    case sleep(Duration)
  }

  /// Time limit without any satellite of ``strongSignal``.
  public static let withoutSignal = Duration.seconds(90)
  /// Time limit without any satellite of ``strongSignal`` from a back-off of ``longestBackOff`` on, if the receiver reports
  /// satellites: twice a cold start. One satellite extends it like any other search.
  public static let withoutSignalForLong = Duration.seconds(60)
  /// Time limit with satellites in reception.
  public static let withSignal = Duration.seconds(240)
  /// Time limit once after the first power-on or long storage: an almanac takes 12.5 minutes.
  public static let afterStorage = Duration.seconds(15 * 60)
  /// Signal strength in dBHz from which navigation data can be decoded.
  public static let strongSignal = 30.0
  public static let firstBackOff = Duration.seconds(120)
  public static let longestBackOff = Duration.seconds(3600)

  private enum Phase: Equatable {
    case idle
    case searching(since: Moment, deadline: Moment, isLong: Bool)
  }

  private var phase = Phase.idle
  private var longSearchWaits: Bool
  /// The back-off after the next failure.
  public var nextBackOff: Duration { backoff.upcoming }
  private var backoff: Backoff

  /// Creates a budget. `afterLongStorage` is true at the first power-on, or after so many weeks that the
  /// almanac may be out of date.
  public init(afterLongStorage: Bool = false, longestBackOff: Duration = Self.longestBackOff) {
    longSearchWaits = afterLongStorage
    backoff = Backoff(from: Self.firstBackOff, upTo: longestBackOff)
  }

  /// Continues with the back-off of an earlier run.
  public mutating func resume(at backOff: Duration) { backoff.resume(at: backOff) }

  /// Records the start of an acquisition; one in progress is not extended.
  public mutating func began(now: Moment) {
    guard phase == .idle else { return }
    let limit = longSearchWaits ? Self.afterStorage : Self.withoutSignal
    phase = .searching(since: now, deadline: now + limit, isLong: longSearchWaits)
    longSearchWaits = false
  }

  /// Records the strongest satellite in dBHz. If the receiver does not report satellites, this is not called
  /// and the limit without signal applies.
  public mutating func received(strongest: Double, now: Moment) {
    guard case .searching(let since, let deadline, false) = phase, now < deadline else { return }
    guard strongest >= Self.strongSignal else {
      // Not after a satellite, which has extended the search.
      guard nextBackOff >= Self.longestBackOff, deadline <= since + Self.withoutSignal else { return }
      let sooner = max(since + Self.withoutSignalForLong, now)
      phase = .searching(since: since, deadline: min(deadline, sooner), isLong: false)
      return
    }
    let later = min(since + Self.withSignal, now + Self.withoutSignal)
    phase = .searching(since: since, deadline: max(deadline, later), isLong: false)
  }

  /// Records a fix, which resets the back-off.
  public mutating func succeeded() {
    phase = .idle
    backoff.reset()
  }

  /// Records that the acquisition ended for another reason; it neither failed nor succeeded.
  public mutating func abandoned() { phase = .idle }

  /// The end of the time limit; nil without an acquisition.
  public var nextTimeout: Moment? {
    switch phase {
    case .idle: nil
    case .searching(_, let deadline, _): deadline
    }
  }

  public mutating func handleTimeout(now: Moment) -> Answer {
    guard let nextTimeout, now >= nextTimeout else { return .goOn }
    phase = .idle
    let sleep = backoff.next()
    return .sleep(sleep)
  }
}
