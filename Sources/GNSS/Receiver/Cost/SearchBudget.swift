import Quantities

/// Bounds a search for the first fix, and lets the receiver rest for longer after each that failed.
public struct SearchBudget: Equatable, Sendable {
  public enum Answer: Equatable, Sendable {
    /// Go on, or there is no search.
    case goOn
    /// Give up: sleep and do not search again for so long.
    case rest(Duration)
  }

  /// Without any satellite of ``strongSignal`` for so long a search is given up.
  public static let withoutSignal = Duration.seconds(90)
  /// A search is given up after so long although satellites are heard.
  public static let withSignal = Duration.seconds(240)
  /// Once after the first power-on or long storage: an almanac takes 12.5 minutes.
  public static let afterStorage = Duration.seconds(15 * 60)
  /// dB-Hz: from here on navigation data can be read.
  public static let strongSignal = 30.0
  public static let firstRest = Duration.seconds(120)
  public static let longestRest = Duration.seconds(3600)

  private enum Phase: Equatable {
    case idle
    case searching(since: Moment, deadline: Moment, isLong: Bool)
  }

  private var phase = Phase.idle
  private var longSearchWaits: Bool
  /// The rest after the next failure.
  public private(set) var nextRest = SearchBudget.firstRest

  /// `afterLongStorage`: first power-on, or unused for so many weeks that its almanac may be stale.
  public init(afterLongStorage: Bool = false) { longSearchWaits = afterLongStorage }

  /// A search begins; one that goes on already is not prolonged.
  public mutating func began(now: Moment) {
    guard phase == .idle else { return }
    let limit = longSearchWaits ? Self.afterStorage : Self.withoutSignal
    phase = .searching(since: now, deadline: now + limit, isLong: longSearchWaits)
    longSearchWaits = false
  }

  /// The strongest satellite heard, in dB-Hz. Where the receiver does not report satellites nothing is told,
  /// and the search has the time of one without signal.
  public mutating func heard(strongest: Double, now: Moment) {
    guard case .searching(let since, let deadline, false) = phase, strongest >= Self.strongSignal,
      now < deadline
    else { return }
    let later = min(since + Self.withSignal, now + Self.withoutSignal)
    phase = .searching(since: since, deadline: max(deadline, later), isLong: false)
  }

  /// There is a fix: the rests begin anew with the shortest.
  public mutating func succeeded() {
    phase = .idle
    nextRest = Self.firstRest
  }

  /// The search was ended for another reason; it neither failed nor succeeded.
  public mutating func abandoned() { phase = .idle }

  /// When the search is to be given up; nil without one.
  public var nextTimeout: Moment? {
    switch phase {
    case .idle: nil
    case .searching(_, let deadline, _): deadline
    }
  }

  public mutating func handleTimeout(now: Moment) -> Answer {
    guard let nextTimeout, now >= nextTimeout else { return .goOn }
    phase = .idle
    let rest = nextRest
    nextRest = min(rest + rest, Self.longestRest)
    return .rest(rest)
  }
}
