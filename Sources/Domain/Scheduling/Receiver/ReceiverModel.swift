import Energy
import GNSSProtocol
import GNSSReceiver
import Quantities

/// The learned behaviour of one receiver: the duration of its starts, the age of its ephemerides, and the time that its
/// fixes take to settle.
///
/// Start times and ephemerides outlive a schedule, and by the saved state of the tracker a restart of the program. Every
/// schedule learns the settling time anew. A schedule owns its model while it runs.
package struct ReceiverModel: Equatable, Sendable {
  /// Age of ephemerides that are renewed if the receiver is awake anyway.
  static let renewalAge = Duration.seconds(100 * 60)
  /// Age below which a reading of ephemerides counts as just completed.
  static let justRead = Duration.seconds(5)
  /// Weight of a new settling time.
  private static let settlingWeight = 0.25

  /// Durations of the receiver's starts.
  package private(set) var starts: StartCost
  /// Age and availability of the receiver's ephemerides.
  package private(set) var ephemerides: EphemerisAge
  /// Number of starts that the present schedule has learned from.
  package private(set) var learnedStarts = 0
  /// Recent time from the first fix of a start while moving until it has settled.
  private(set) var settleTime = Duration.seconds(4)
  /// The first fix of the last search.
  private var firstFixAt: Moment?
  /// The last sleep of a receiver that is required again.
  private var asleepSince: Moment?

  /// Creates the model of an unknown receiver. `hasBackupSupply` is true if its data survives a cut of the main supply.
  package init(hasBackupSupply: Bool) {
    self.init(
      starts: StartCost(family: .unknown), ephemerides: EphemerisAge(hasBackupSupply: hasBackupSupply))
  }

  private init(starts: StartCost, ephemerides: EphemerisAge) {
    self.starts = starts
    self.ephemerides = ephemerides
  }

  // MARK: Learning

  /// Begins a schedule: only start times and ephemerides remain.
  mutating func beginSchedule() { self = ReceiverModel(starts: starts, ephemerides: ephemerides) }

  /// Processes the receiver's family, which decides the initial start times.
  package mutating func identified(_ family: ReceiverFamily) { starts.identified(family) }

  /// Restores the start times that were learned in an earlier run of the program.
  package mutating func restore(_ starts: StartCost) { self.starts = starts }

  /// Restores the time of the last complete ephemerides, read in an earlier run of the program.
  package mutating func recall(ephemeridesReadAt moment: Moment) { ephemerides.recall(lastRead: moment) }

  /// Records an epoch at full power, with or without fix.
  mutating func epoch(hasFix: Bool, now: Moment) { ephemerides.epoch(hasFix: hasFix, now: now) }

  /// Records the first fix of a search. `start` is the time of the start that it belongs to; nil if the search provides
  /// no measure of start times, because it followed a loss of reception.
  mutating func firstFix(ofStartAt start: Moment?, now: Moment) {
    firstFixAt = now
    guard let start else { return }
    let taken = now - start
    let asleep = asleepSince.map { start - $0 }
    ephemerides.validateRecalled(firstFixAfter: taken, usually: starts.expected(.hot, asleep: asleep))
    let kind = ephemerides.expectedStart(now: start)
    ephemerides.firstFix(after: taken, usually: starts.expected(kind, asleep: asleep), now: now)
    starts.learn(kind, asleep: asleep, timeToFirstFix: taken)
    learnedStarts += 1
  }

  /// Records that the fix of a start while moving has settled.
  mutating func settled(now: Moment) {
    guard let firstFixAt else { return }
    settleTime = settleTime * (1 - Self.settlingWeight) + (now - firstFixAt) * Self.settlingWeight
  }

  /// Records that the receiver sleeps until its next start.
  mutating func fellAsleep(now: Moment) {
    ephemerides.slept()
    asleepSince = now
  }

  /// Records that the radio is off at times, as in cyclic tracking, or that the receiver is not required any more.
  mutating func stoppedReading() { ephemerides.slept() }

  /// Records that the receiver's supply is cut.
  mutating func supplyCut() { ephemerides.supplyCut() }

  // MARK: Questions

  /// True if a sleep now costs no hot start: no renewal of the ephemerides is due.
  func hasFreshEphemerides(now: Moment) -> Bool {
    ephemerides.age(now: now).map { $0 < Self.renewalAge } ?? false
  }

  /// True if the reading of the ephemerides is complete.
  func hasJustRead(now: Moment) -> Bool { ephemerides.age(now: now).map { $0 < Self.justRead } ?? false }

  /// True if the receiver keeps its data while its supply is cut.
  var hasBackupSupply: Bool { ephemerides.hasBackupSupply }

  /// The additional search time after a cut of the supply; nil if a backup supply keeps the receiver's data.
  var supplyCutCost: Duration? {
    hasBackupSupply ? nil : starts.expected(.cold, asleep: nil) - starts.expected(.hot, asleep: nil)
  }

  /// The mean time to first fix of a hot start after a sleep of this length.
  func hotStart(after sleep: Duration) -> Duration { starts.expected(.hot, asleep: sleep) }

  /// The start time that a search allows for, so that a receiver that lost more data than expected still gets its fix.
  func slowestStart(allowsWarm: Bool, now: Moment) -> Duration {
    let kind = ephemerides.slowestStart(now: now)
    let slower = allowsWarm && kind == .hot ? .warm : kind
    return starts.expected(slower, asleep: asleepSince.map { now - $0 })
  }
}
