import GNSS
import Quantities

/// How long to look for the sky, and how long to rest when it is not there.
///
/// At rest ``SearchBudget`` rules: long searches, rests that double to an hour. In motion the sky may come back behind
/// each corner: looks as short as a start takes, rests that grow with the time without a fix, and begin longer with each
/// way that was in vain. Where nobody tells how strong the satellites are, only a look that is long enough for the start
/// shows that there is no sky.
struct SearchPace: Equatable, Sendable {
  /// A look in motion that hears no satellite.
  static let deafLook = Duration.seconds(8)
  /// Once satellites are heard, so long again.
  static let hearingLook = Duration.seconds(60)
  /// Right after the sky went away.
  static let firstLook = Duration.seconds(30)
  static let shortestRest = Duration.seconds(15)
  /// In the first hour without sky; few tunnels take longer.
  static let longestRest = Duration.seconds(60)
  /// After it, where a look is over as soon as no satellite is heard; else up to an hour.
  static let longestRestLater = Duration.seconds(120)
  /// The first rest of a way doubles with each way in vain but one before it, so many times.
  static let mostDoublings = 6
  /// A way in vain has so many looks at least.
  static let fewestLooks = 4

  private var budget = SearchBudget()
  private var look: Moment?
  /// Since when it moves and every look failed.
  private var wayBegan: Moment?
  /// Looks of this way, all of which failed.
  private var looksInVain = 0
  /// Ways in vain since the last fix; a knock that ends after a look or two is none.
  private var waysInVain = 0
  private(set) var since: Moment?
  /// The strength of the satellites is told.
  private(set) var isTold = false
  /// In motion no look is worth its charge before.
  private(set) var nextLook: Moment?

  /// So many looks of this way failed that one is to allow for a receiver that needs more than is expected of it.
  var isLongLookDue: Bool { looksInVain > 0 && looksInVain % Self.fewestLooks == 0 }

  /// `start` is how long the receiver may take under the sky.
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

  /// Motion began after a rest: the sky may be another, and is looked for at once.
  mutating func encouraged() {
    budget.abandoned()
    if looksInVain >= Self.fewestLooks { waysInVain = min(waysInVain + 1, Self.mostDoublings + 1) }
    beginAnew()
  }

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
