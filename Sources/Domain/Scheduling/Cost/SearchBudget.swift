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
  /// Time limit without any satellite of ``strongSignal`` if the receiver reports satellites and the next
  /// search follows ``longestBackOff`` later at the earliest: twice a cold start. One satellite extends it like
  /// any other search.
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
    case searching(Search)
  }

  private struct Search: Equatable {
    var since: Moment
    var deadline: Moment
    var isLong: Bool
    /// The time without a search that follows a failure whatever the back-off.
    var pause: Duration
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

  /// Records the start of an acquisition; one in progress is not extended. `pause` is the time without a
  /// search that follows a failure whatever the back-off.
  public mutating func began(pause: Duration = .zero, now: Moment) {
    guard phase == .idle else { return }
    let limit = longSearchWaits ? Self.afterStorage : Self.withoutSignal
    phase = .searching(Search(since: now, deadline: now + limit, isLong: longSearchWaits, pause: pause))
    longSearchWaits = false
  }

  /// Records the strongest satellite in dBHz. If the receiver does not report satellites, this is not called
  /// and the limit without signal applies.
  public mutating func received(strongest: Double, now: Moment) {
    guard case .searching(var search) = phase, !search.isLong, now < search.deadline else { return }
    let isExtended = search.deadline > search.since + Self.withoutSignal
    if strongest >= Self.strongSignal {
      let later = min(search.since + Self.withSignal, now + Self.withoutSignal)
      search.deadline = max(search.deadline, later)
    } else if !isExtended, max(nextBackOff, search.pause) >= Self.longestBackOff {
      search.deadline = min(search.deadline, max(search.since + Self.withoutSignalForLong, now))
    }
    phase = .searching(search)
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
    case .searching(let search): search.deadline
    }
  }

  public mutating func handleTimeout(now: Moment) -> Answer {
    guard let nextTimeout, now >= nextTimeout else { return .goOn }
    phase = .idle
    let sleep = backoff.next()
    return .sleep(sleep)
  }
}
