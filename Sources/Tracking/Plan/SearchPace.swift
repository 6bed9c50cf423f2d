import GNSS
import Quantities

/// The timeout of an acquisition, and the back-off after one without reception.
///
/// While stationary ``SearchBudget`` applies: long searches, and a back-off that doubles to an hour. While moving,
/// reception may return at any corner: searches are as short as a start, and the back-off grows with the time without
/// a fix. Movements without any fix lengthen its first value. If the receiver does not report signal strength, only a
/// search as long as a start proves that there is no reception. Owned by ``ReceiverPlan``.
struct SearchPace: Equatable, Sendable {
  /// Timeout while moving if no satellite is received.
  static let deafLook = Duration.seconds(8)
  /// Extension once satellites are received.
  static let hearingLook = Duration.seconds(60)
  /// Timeout directly after a loss of reception.
  static let firstLook = Duration.seconds(30)
  static let shortestRest = Duration.seconds(15)
  /// Longest back-off in the first hour without reception; few tunnels take longer.
  static let longestRest = Duration.seconds(60)
  /// Longest back-off later, if the receiver reports signal strength; otherwise up to an hour.
  static let longestRestLater = Duration.seconds(120)
  /// Maximum number of doublings of the first back-off. Every movement without a fix, except the first, doubles it.
  static let mostDoublings = 6
  /// Number of failed searches after which a movement counts as one without a fix.
  static let fewestLooks = 4

  private var budget = SearchBudget()
  private var look: Moment?
  /// Start of the movement in which every search failed.
  private var wayBegan: Moment?
  /// Number of failed searches of this movement.
  private var looksInVain = 0
  /// Number of movements without a fix since the last fix. False wake-ups with one or two searches do not count.
  private var waysInVain = 0
  private(set) var since: Moment?
  /// True if the receiver reports signal strength.
  private(set) var isTold = false
  /// End of the back-off while moving.
  private(set) var nextLook: Moment?

  /// True if so many searches failed that one should allow for a slower start than expected.
  var isLongLookDue: Bool { looksInVain > 0 && looksInVain % Self.fewestLooks == 0 }

  /// Starts a search. `start` is the expected start time with good reception.
  mutating func began(inMotion: Bool, afterLoss: Bool, expecting start: Duration, now: Moment) {
    since = now
    guard inMotion else {
      look = nil
      wayBegan = nil
      budget.began(now: now)
      return
    }
    budget.abandoned()
    if wayBegan == nil { wayBegan = now }
    let shortest = afterLoss ? Self.firstLook : Self.deafLook
    look = now + (isTold ? shortest : max(shortest, min(start + start, SearchBudget.withoutSignal)))
  }

  mutating func heard(strongest: Double, now: Moment) {
    isTold = true
    budget.heard(strongest: strongest, now: now)
    guard let look, let since, strongest >= SearchBudget.strongSignal else { return }
    self.look = max(look, min(since + SearchBudget.withSignal, now + Self.hearingLook))
  }

  mutating func succeeded() {
    budget.succeeded()
    waysInVain = 0
    beginAnew()
  }

  private mutating func beginAnew() {
    look = nil
    since = nil
    wayBegan = nil
    looksInVain = 0
    nextLook = nil
  }

  mutating func abandoned() {
    budget.abandoned()
    look = nil
    since = nil
  }

  /// Starts a movement after a stationary period. Reception may have changed, so the back-off ends.
  mutating func encouraged() {
    budget.abandoned()
    if looksInVain >= Self.fewestLooks { waysInVain = min(waysInVain + 1, Self.mostDoublings + 1) }
    beginAnew()
  }

  var nextTimeout: Moment? { look ?? budget.nextTimeout }

  /// The back-off after the search that ended; nil while it continues.
  mutating func rest(now: Moment) -> Duration? {
    guard let look else {
      guard case .rest(let rest) = budget.handleTimeout(now: now) else { return nil }
      since = nil
      return rest
    }
    guard now >= look else { return nil }
    self.look = nil
    since = nil
    looksInVain += 1
    let outage = wayBegan.map { now - $0 } ?? .zero
    let shortest = Self.shortestRest * (1 << max(waysInVain - 1, 0))
    let later = isTold ? Self.longestRestLater : SearchBudget.longestRest
    let longest = outage < .seconds(3600) ? Self.longestRest : later
    let rest = max(min(outage / 16, longest), shortest)
    nextLook = now + rest
    return rest
  }
}
