import GNSSReceiver
import Quantities

/// Tracks the age of the receiver's ephemerides, the kind of start to expect, and the time to renew them.
///
/// It uses only what is visible from outside. A fix without a gap for ``readingTime`` means that a whole
/// frame of every satellite in it was received. The age from an earlier run of the program can be restored;
/// the first start of the receiver shows if it is still valid.
public struct EphemerisAge: Equatable, Sendable {
  /// The renewal of ephemerides that is due at a wake-up for a fix.
  public enum Renewal: Equatable, Sendable {
    /// Leave the receiver on, because at intervals up to 10 s a sleep saves nothing.
    case keepOn
    /// Stay on until the fix has lasted this long without a gap.
    case due(Duration)
    /// Sleep as soon as the fix has settled.
    case notDue
    /// The interval is so long that every start is warm anyway; new ephemerides would expire.
    case doesNotPay
  }

  /// Reading time of ephemerides: a GPS frame of 30 s and one subframe of 6 s, so that every part is received
  /// completely, whenever reception began.
  public static let readingTime = Duration.seconds(36)
  /// Reading time at intervals of half an hour or more, because satellites rise meanwhile and their ephemerides need
  /// more time.
  public static let longReadingTime = Duration.seconds(40)
  /// Age of ephemerides that allow a hot start.
  public static let surelyUsable = Duration.seconds(2 * 3600)
  /// Age of ephemerides from which a start is warm; between the two, the probability decreases linearly.
  public static let hardlyUsable = Duration.seconds(4 * 3600)
  /// Interval at which ephemerides are renewed, like u-blox's own maintenance.
  public static let renewalInterval = Duration.seconds(30 * 60)
  /// Duration of a hot start that, if it is also twice the usual time, indicates missing ephemerides.
  public static let slowHotStart = Duration.seconds(5)
  /// Age below which a slow start indicates poor reception instead; staying on would only cost energy.
  public static let surelyFresh = Duration.seconds(10 * 60)
  /// Longest interval at which the receiver stays on.
  public static let keepOnInterval = Duration.seconds(10)
  /// Longest pause between two epochs of a run; the slowest usual output interval is 10 s.
  private static let longestGap = Duration.seconds(11)

  /// Consecutive epochs with a fix.
  private struct Run: Equatable {
    let since: Moment
    var last: Moment
  }

  /// True if time, almanac and ephemerides survive a sleep or a cut of the main supply.
  public let hasBackupSupply: Bool
  /// The last time at which the ephemerides were certainly complete; nil before.
  public private(set) var lastRead: Moment?
  private var run: Run?
  private var hasHadFix = false
  private var startedSlowly = false
  /// True if ``lastRead`` comes from an earlier run of the program.
  private var isUnverified = false

  public init(hasBackupSupply: Bool) { self.hasBackupSupply = hasBackupSupply }

  /// Records a complete epoch.
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
    isUnverified = false
  }

  /// Restores the time of the last complete ephemerides from an earlier run; ignored if a newer one is known.
  public mutating func recall(lastRead moment: Moment) {
    guard lastRead == nil else { return }
    lastRead = moment
    hasHadFix = true
    isUnverified = true
  }

  /// Checks the restored time with the time to first fix. If the start was slower than any hot start, the
  /// ephemerides were lost with the supply. `usually` is the usual duration of a hot start.
  public mutating func validateRecalled(firstFixAfter timeToFirstFix: Duration, usually: Duration) {
    guard isUnverified else { return }
    isUnverified = false
    if timeToFirstFix > Self.slowHotStart, timeToFirstFix > usually + usually { forget() }
  }

  /// Records the time to first fix of a start; `usually` is the usual duration of such a start.
  public mutating func firstFix(after timeToFirstFix: Duration, usually: Duration, now: Moment) {
    guard timeToFirstFix > Self.slowHotStart, timeToFirstFix > usually + usually else { return }
    startedSlowly = age(now: now).map { $0 >= Self.surelyFresh } ?? true
  }

  /// Records that the receiver sleeps or its radio is off; it keeps its data.
  public mutating func slept() { run = nil }

  /// Records that the main supply was cut; without a backup supply all data is lost.
  public mutating func supplyCut() {
    run = nil
    guard !hasBackupSupply else { return }
    forget()
  }

  /// Records a restart command: a cold start discards everything, a warm one keeps time and almanac.
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

  /// Age of the ephemerides; nil if they were never certainly read.
  public func age(now: Moment) -> Duration? { lastRead.map { max(now - $0, .zero) } }

  /// Probability of a hot start at `now`, 0...1.
  public func hotProbability(now: Moment) -> Double { Self.hotProbability(after: age(now: now)) }

  /// Probability of a hot start with ephemerides of this age, 0...1; 0 for nil.
  public static func hotProbability(after age: Duration?) -> Double {
    guard let age else { return 0 }
    let span = (hardlyUsable - surelyUsable).inSeconds
    return min(max((hardlyUsable - age).inSeconds / span, 0), 1)
  }

  /// The more probable kind of start at `now`; cold before the first fix.
  public func expectedStart(now: Moment) -> StartKind {
    guard hasHadFix else { return .cold }
    return hotProbability(now: now) >= 0.5 ? .hot : .warm
  }

  /// The slowest start that is possible at `now`, by the known data.
  public func slowestStart(now: Moment) -> StartKind {
    guard hasHadFix else { return .cold }
    return hotProbability(now: now) < 1 ? .warm : .hot
  }

  /// The renewal that is due at a wake-up at `now` if a fix is needed every `interval`.
  public func renewal(interval: Duration, now: Moment) -> Renewal {
    if interval <= Self.keepOnInterval { return .keepOn }
    if interval > Self.surelyUsable { return .doesNotPay }
    if interval >= Self.renewalInterval { return .due(Self.longReadingTime) }
    guard !startedSlowly, let age = age(now: now), age < Self.renewalInterval else {
      return .due(Self.readingTime)
    }
    return .notDue
  }

  private mutating func forget() {
    lastRead = nil
    hasHadFix = false
    startedSlowly = false
    isUnverified = false
  }
}
