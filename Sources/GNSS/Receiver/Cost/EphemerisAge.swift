import Quantities

/// How old the receiver's ephemerides are, what start to expect of it, and when they are to be renewed.
///
/// It judges by what can be seen from outside: a fix held without a gap for ``readingTime`` means that every
/// satellite behind it was heard for a whole frame. What an earlier start of the program knew can be recalled; the
/// first start of the receiver then shows whether that still holds.
public struct EphemerisAge: Equatable, Sendable {
  /// What a sampler with a given interval owes the ephemerides at this wake.
  public enum Renewal: Equatable, Sendable {
    /// At intervals up to 10 s a sleep saves nothing: leave it on.
    case keepOn
    /// Stay on until the fix has been held for so long without a gap.
    case stay(Duration)
    /// Sleep as soon as the fix has settled.
    case notDue
    /// The interval is so long that each start is warm anyway; reading ephemerides would be forgotten.
    case doesNotPay
  }

  /// One frame of GPS is 30 s; one subframe of 6 s more, and each has been heard whole whenever it began.
  public static let readingTime = Duration.seconds(36)
  /// At intervals of half an hour and more, satellites rise meanwhile: some more for theirs.
  public static let longReadingTime = Duration.seconds(40)
  /// Ephemerides younger than this start hot.
  public static let surelyUsable = Duration.seconds(2 * 3600)
  /// Ephemerides older than this start warm; between the two the chance falls in a straight line.
  public static let hardlyUsable = Duration.seconds(4 * 3600)
  /// As often a sparse sampler reads new ones, the pace of u-blox's own upkeep.
  public static let renewalInterval = Duration.seconds(30 * 60)
  /// A hot start above this, and above twice the usual, is taken for a sign of missing ephemerides…
  public static let slowHotStart = Duration.seconds(5)
  /// …but not while they are younger than this: then the sky is poor, and staying on would only cost.
  public static let surelyFresh = Duration.seconds(10 * 60)
  /// At intervals up to this the receiver stays on.
  public static let keepOnInterval = Duration.seconds(10)
  /// A longer pause between two epochs breaks the run; the slowest usual output interval is 10 s.
  private static let longestGap = Duration.seconds(11)

  /// Epochs with a fix and no gap between them.
  private struct Run: Equatable {
    let since: Moment
    var last: Moment
  }

  /// Time, almanac and ephemerides outlive a sleep or a cut of the main supply.
  public let hasBackupSupply: Bool
  /// When ephemerides were last surely complete; nil before the first time.
  public private(set) var lastRead: Moment?
  private var run: Run?
  private var hasHadFix = false
  private var startedSlowly = false
  /// ``lastRead`` is from before this start of the program.
  private var isHearsay = false

  public init(hasBackupSupply: Bool) { self.hasBackupSupply = hasBackupSupply }

  /// An epoch was closed.
  public mutating func epoch(hasFix: Bool, now: Moment) {
    guard hasFix else {
      run = nil
      return
    }
    hasHadFix = true
    guard let run, now >= run.last, now - run.last <= Self.longestGap else {
      run = Run(since: now, last: now)
      return
    }
    self.run = Run(since: run.since, last: now)
    guard now - run.since >= Self.readingTime else { return }
    lastRead = now
    startedSlowly = false
    isHearsay = false
  }

  /// An earlier start of the program knew when ephemerides were last complete; nothing newer is known.
  public mutating func recall(lastRead moment: Moment) {
    guard lastRead == nil else { return }
    lastRead = moment
    hasHadFix = true
    isHearsay = true
  }

  /// The first start came to its fix after so long: slower than any hot one, it shows that what was recalled was lost
  /// with the supply. `usually` is what a hot start takes.
  public mutating func judgeRecalled(firstFixAfter timeToFirstFix: Duration, usually: Duration) {
    guard isHearsay else { return }
    isHearsay = false
    if timeToFirstFix > Self.slowHotStart, timeToFirstFix > usually + usually { forget() }
  }

  /// A start came to its first fix after `timeToFirstFix`; `usually` is what such a start takes.
  public mutating func firstFix(after timeToFirstFix: Duration, usually: Duration, now: Moment) {
    guard timeToFirstFix > Self.slowHotStart, timeToFirstFix > usually + usually else { return }
    startedSlowly = age(now: now).map { $0 >= Self.surelyFresh } ?? true
  }

  /// It sleeps, or its radio is off; what it knows is kept.
  public mutating func slept() { run = nil }

  /// The main supply was cut; without a backup supply it has forgotten everything.
  public mutating func supplyCut() {
    run = nil
    guard !hasBackupSupply else { return }
    forget()
  }

  /// It was told to forget, by a cold start for instance, or a warm one, which keeps time and almanac.
  public mutating func restarted(_ kind: StartKind) {
    run = nil
    switch kind {
    case .hot: break
    case .warm:
      lastRead = nil
      startedSlowly = false
    case .cold: forget()
    }
  }

  /// Nil when they were never surely read.
  public func age(now: Moment) -> Duration? { lastRead.map { max(now - $0, .zero) } }

  /// The chance of a hot start at `now`, 0...1.
  public func hotProbability(now: Moment) -> Double { Self.hotProbability(after: age(now: now)) }

  /// The chance of a hot start with ephemerides of this age, 0...1; 0 for nil.
  public static func hotProbability(after age: Duration?) -> Double {
    guard let age else { return 0 }
    let span = (hardlyUsable - surelyUsable).inSeconds
    return min(max((hardlyUsable - age).inSeconds / span, 0), 1)
  }

  /// The likelier kind of start at `now`; cold before the first fix of all.
  public func expectedStart(now: Moment) -> StartKind {
    guard hasHadFix else { return .cold }
    return hotProbability(now: now) >= 0.5 ? .hot : .warm
  }

  /// The slowest start that is possible at `now`, as far as anyone can know.
  public func slowestStart(now: Moment) -> StartKind {
    guard hasHadFix else { return .cold }
    return hotProbability(now: now) < 1 ? .warm : .hot
  }

  /// What to do at a wake at `now` by a sampler that wants a fix every `interval`.
  public func renewal(interval: Duration, now: Moment) -> Renewal {
    if interval <= Self.keepOnInterval { return .keepOn }
    if interval > Self.surelyUsable { return .doesNotPay }
    if interval >= Self.renewalInterval { return .stay(Self.longReadingTime) }
    guard !startedSlowly, let age = age(now: now), age < Self.renewalInterval else {
      return .stay(Self.readingTime)
    }
    return .notDue
  }

  private mutating func forget() {
    lastRead = nil
    hasHadFix = false
    startedSlowly = false
    isHearsay = false
  }
}
