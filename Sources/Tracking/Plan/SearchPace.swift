import GNSS
import Quantities

/// How long to look for the sky, and how long to rest when it is not there.
///
/// At rest ``SearchBudget`` rules: long searches, rests that double to an hour. In motion the sky may come back behind
/// each corner: looks as short as a start takes, rests that grow with the time without a fix. Where nobody tells how
/// strong the satellites are, only a look that is long enough for the start shows that there is no sky.
struct SearchPace: Equatable, Sendable {
  /// A look in motion that hears no satellite.
  static let deafLook = Duration.seconds(8)
  /// Once satellites are heard, so long again.
  static let hearingLook = Duration.seconds(60)
  /// Right after the sky went away.
  static let firstLook = Duration.seconds(30)
  static let shortestRest = Duration.seconds(15)
  static let longestRest = Duration.seconds(60)
  /// After an hour without sky.
  static let longestRestLater = Duration.seconds(120)

  private var budget = SearchBudget()
  private var look: Moment?
  /// Since when every look failed.
  private var withoutSkySince: Moment?
  private(set) var since: Moment?
  /// The strength of the satellites is told.
  private(set) var isTold = false
  /// In motion no look is worth its charge before.
  private(set) var nextLook: Moment?

  /// `start` is how long the receiver is expected to take under the sky.
  mutating func began(inMotion: Bool, afterLoss: Bool, expecting start: Duration, now: Moment) {
    since = now
    if withoutSkySince == nil { withoutSkySince = now }
    guard inMotion else {
      look = nil
      budget.began(now: now)
      return
    }
    budget.abandoned()
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
    look = nil
    since = nil
    withoutSkySince = nil
    nextLook = nil
  }

  mutating func abandoned() {
    budget.abandoned()
    look = nil
    since = nil
  }

  /// Motion began after a rest: the sky may be another.
  mutating func encouraged() { succeeded() }

  var nextTimeout: Moment? { look ?? budget.nextTimeout }

  /// How long to rest when the search has come to its end; nil while it goes on.
  mutating func rest(now: Moment) -> Duration? {
    guard let look else {
      guard case .rest(let rest) = budget.handleTimeout(now: now) else { return nil }
      since = nil
      return rest
    }
    guard now >= look else { return nil }
    self.look = nil
    since = nil
    let outage = withoutSkySince.map { now - $0 } ?? .zero
    let longest = outage < .seconds(3600) ? Self.longestRest : Self.longestRestLater
    let rest = min(max(outage / 16, Self.shortestRest), longest)
    nextLook = now + rest
    return rest
  }
}
