import Quantities

/// The timeout of an acquisition, and the back-off after one without reception.
///
/// While stationary ``SearchBudget`` applies: long searches, and a back-off that doubles to an hour. While moving,
/// reception may return at any corner: searches are as short as a start, and the back-off grows with the time without
/// a fix. Movements without any fix lengthen its first value. If the receiver does not report signal strength, only a
/// search as long as a start proves that there is no reception. Owned by ``ReceiverSchedule``.
struct AcquisitionTiming: Equatable, Sendable {
  /// Timeout while moving if no satellite is received.
  static let timeoutWithoutSignal = Duration.seconds(8)
  /// Extension once satellites are received.
  static let extensionWithSignal = Duration.seconds(60)
  /// Timeout directly after a loss of reception.
  static let timeoutAfterLoss = Duration.seconds(30)
  static let shortestBackOff = Duration.seconds(15)
  /// Longest back-off in the first hour without reception; few tunnels take longer.
  static let longestBackOff = Duration.seconds(60)
  /// Longest back-off later, if the receiver reports signal strength; otherwise up to an hour.
  static let longestLateBackOff = Duration.seconds(120)
  /// Maximum number of doublings of the first back-off. Every movement without a fix, except the first, doubles it.
  static let mostDoublings = 6
  /// Number of failed searches after which a movement counts as one without a fix.
  static let fewestSearches = 4

  private var budget: SearchBudget
  private var deadline: Moment?
  /// Start of the movement in which every search failed.
  private var movementBegan: Moment?
  /// Number of failed searches of this movement.
  private var failedSearches = 0
  /// Number of movements without a fix since the last fix. False wake-ups with one or two searches do not count.
  private var movementsWithoutFix = 0
  private(set) var since: Moment?
  /// True if the receiver reports signal strength.
  private(set) var reportsSignal = false
  /// End of the back-off while moving.
  private(set) var nextSearch: Moment?

  /// `longestBackOff` is the longest one while stationary.
  init(longestBackOff: Duration = SearchBudget.longestBackOff) {
    budget = SearchBudget(longestBackOff: longestBackOff)
  }

  /// The back-off after the next failure while stationary.
  var nextBackOff: Duration { budget.nextBackOff }

  /// Continues with the back-off of an earlier run.
  mutating func resume(at backOff: Duration) { budget.resume(at: backOff) }

  /// True if so many searches failed that one should allow for a slower start than expected.
  var isLongSearchDue: Bool { failedSearches > 0 && failedSearches % Self.fewestSearches == 0 }

  /// Starts a search. `start` is the expected start time with good reception. `pause` is the time without a
  /// search that follows a failure while stationary whatever the back-off.
  mutating func began(
    inMotion: Bool, afterLoss: Bool, expecting start: Duration, pause: Duration, now: Moment
  ) {
    since = now
    guard inMotion else {
      deadline = nil
      movementBegan = nil
      budget.began(pause: pause, now: now)
      return
    }
    budget.abandoned()
    if movementBegan == nil { movementBegan = now }
    let shortest = afterLoss ? Self.timeoutAfterLoss : Self.timeoutWithoutSignal
    deadline =
      now + (reportsSignal ? shortest : max(shortest, min(start + start, SearchBudget.withoutSignal)))
  }

  mutating func received(strongest: Double, now: Moment) {
    reportsSignal = true
    budget.received(strongest: strongest, now: now)
    guard let deadline, let since, strongest >= SearchBudget.strongSignal else { return }
    self.deadline = max(deadline, min(since + SearchBudget.withSignal, now + Self.extensionWithSignal))
  }

  mutating func succeeded() {
    budget.succeeded()
    movementsWithoutFix = 0
    reset()
  }

  private mutating func reset() {
    deadline = nil
    since = nil
    movementBegan = nil
    failedSearches = 0
    nextSearch = nil
  }

  mutating func abandoned() {
    budget.abandoned()
    deadline = nil
    since = nil
  }

  /// Starts a movement after a stationary period. Reception may have changed, so the back-off ends.
  mutating func encouraged() {
    budget.abandoned()
    if failedSearches >= Self.fewestSearches {
      movementsWithoutFix = min(movementsWithoutFix + 1, Self.mostDoublings + 1)
    }
    reset()
  }

  var nextTimeout: Moment? { deadline ?? budget.nextTimeout }

  /// The back-off after the search that ended; nil while it continues.
  mutating func sleep(now: Moment) -> Duration? {
    guard let deadline else {
      guard case .sleep(let sleep) = budget.handleTimeout(now: now) else { return nil }
      since = nil
      return sleep
    }
    guard now >= deadline else { return nil }
    self.deadline = nil
    since = nil
    failedSearches += 1
    let outage = movementBegan.map { now - $0 } ?? .zero
    let shortest = Self.shortestBackOff * (1 << max(movementsWithoutFix - 1, 0))
    let later = reportsSignal ? Self.longestLateBackOff : SearchBudget.longestBackOff
    let longest = outage < .seconds(3600) ? Self.longestBackOff : later
    let sleep = max(min(outage / 16, longest), shortest)
    nextSearch = now + sleep
    return sleep
  }
}
