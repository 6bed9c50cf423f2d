import Quantities

/// The clock of the device: UTC in this boot, learned from the receiver; until then from another adopted clock. Owned
/// by ``Tracker``.
///
/// A fix arrives later than its own time, with a varying delay. While the date is unknown, the moments of fixes are
/// derived from the receiver's time of day, counted from the first one. When the date becomes known, they are dated
/// exactly, without the delay. A later fix without date is dated immediately: by its time of day, and the day of the
/// clock.
///
/// A single date is not accepted if it is before ``WeekRollover/floor``, in the future, or more than a day from the
/// clock. The next one has to agree.
public struct DeviceClock: Equatable, Sendable {
  /// A change of the clock for the log.
  public enum Notice: Equatable, Sendable {
    /// The date became known; `offset` is UTC in milliseconds minus the moment in milliseconds.
    case known(Timestamp, offsetMilliseconds: Int64)
    /// The receiver's date jumped by this many milliseconds against the boot clock.
    case stepped(milliseconds: Int64)
    /// The receiver's date was a multiple of 1,024 weeks behind.
    case weekRepaired(days: Int64)
  }

  /// The time of a fix as the tracker uses it.
  public struct Reading: Equatable, Sendable {
    /// UTC; nil while the date is unknown, never afterwards.
    public var timestamp: Timestamp?
    /// Time of the fix on the boot clock.
    public var moment: Moment
    /// Changes of the clock by this fix.
    public var notices: [Notice]
    /// The credibility of the date.
    public var trust = Trust.known
  }

  /// The credibility of a fix's date, once the clock is set.
  public enum Trust: Equatable, Sendable {
    case known
    /// The date differs too much from the clock, so the next fix must agree first. `isCredible` is true if the date
    /// counts without a next fix.
    case doubtful(isCredible: Bool)
    /// The doubtful date of the previous fix was right: the receiver's time has jumped.
    case confirmsDoubt
    /// The doubtful date of the previous fix was wrong.
    case refutesDoubt
  }

  private struct Anchor: Equatable, Sendable {
    var moment: Moment
    var millisecondOfDay: Int64
  }

  private var anchor: Anchor?
  private var isWeekRepaired = false
  private var lastForwardStep: Moment?
  private var lastBackwardStep: Moment?
  /// A date that requires confirmation by the next one.
  private var doubted: Timestamp?
  /// Start of the time in which the receiver's time runs like the boot clock.
  private var steadySince = Moment.zero

  /// UTC in milliseconds minus moment in milliseconds; nil until the time is known.
  public private(set) var offsetMilliseconds: Int64? {
    didSet { if offsetMilliseconds != nil, quality == .none { quality = .receiver } }
  }
  /// The origin of the time.
  public private(set) var quality = ClockQuality.none

  /// Smallest clock step in ms that is logged. A smaller one is due to the delay of arrival.
  static let noticeableStep: Int64 = 5000
  /// Shortest time between two logged steps in one direction. Faster steps come from a recording played fast, or a
  /// faulty receiver.
  static let shortestPause = Duration.seconds(60)

  /// Largest difference of two dates that agree, in ms.
  static let agreement = Timestamp.millisecondsPerDay
  /// Possible dates of a receiver: 1980, when GPS time begins, to 2099.
  private static let possible =
    Timestamp(milliseconds: 315_532_800_000)..<Timestamp(milliseconds: 4_102_444_800_000)
  /// Twenty years after the release: the latest possible time if the system clock is not set.
  private static let endOfUse = Release.date.milliseconds + 7305 * Timestamp.millisecondsPerDay
  /// Time for which the clock must have run steadily before anything is deleted by it.
  static let steadyTime = Duration.seconds(60)

  public init() {}

  /// UTC at a moment; nil until the time is known.
  public func timestamp(at moment: Moment) -> Timestamp? {
    offsetMilliseconds.map { Timestamp(milliseconds: moment.nanoseconds / 1_000_000 &+ $0) }
  }

  /// UTC at a moment, if the receiver's or the network's time has run steadily for ``steadyTime``: deletion by it
  /// cannot be undone.
  public func steadyTimestamp(at moment: Moment) -> Timestamp? {
    quality >= .network && moment - steadySince >= Self.steadyTime ? timestamp(at: moment) : nil
  }

  /// Processes the time of a fix. `timestamp` is the receiver's time without repair; `systemClock` limits the repair.
  public mutating func read(
    timestamp: Timestamp?, millisecondOfDay: Int32?, arrival: Moment, systemClock: Timestamp
  ) -> Reading {
    let timestamp = timestamp.flatMap { Self.possible.contains($0) ? $0 : nil }
    guard let known = offsetMilliseconds else {
      return readUndated(timestamp, ofDay: millisecondOfDay, arrival: arrival, systemClock: systemClock)
    }
    guard let timestamp else {
      let dated = self.dated(ofDay: millisecondOfDay, arrival: arrival, offset: known)
      offsetMilliseconds = Self.offset(of: dated, at: arrival)
      return Reading(timestamp: dated, moment: arrival, notices: [], trust: resolveDoubt(by: nil))
    }
    let (repaired, repair) = repairWeek(of: timestamp, systemClock: systemClock)
    let offset = Self.offset(of: repaired, at: arrival)
    var trust = Trust.known
    if (offset &- known).magnitude > Self.agreement.magnitude {
      trust = resolveDoubt(by: repaired)
      guard trust == .confirmsDoubt else {
        doubted = repaired
        let isCredible = Self.isCredible(repaired, systemClock: systemClock)
        return Reading(
          timestamp: repaired, moment: arrival, notices: repair, trust: .doubtful(isCredible: isCredible))
      }
    } else {
      trust = resolveDoubt(by: nil)
    }
    offsetMilliseconds = offset
    quality = .receiver
    let step = stepNotice(offset &- known, now: arrival)
    return Reading(timestamp: repaired, moment: arrival, notices: repair + step, trust: trust)
  }

  /// Resolves a doubtful date by the next one; nil means a date that agrees with the clock.
  private mutating func resolveDoubt(by timestamp: Timestamp?) -> Trust {
    guard let doubted else { return .known }
    self.doubted = nil
    guard let timestamp, Self.agree(doubted, timestamp) else { return .refutesDoubt }
    return .confirmsDoubt
  }

  private static func agree(_ a: Timestamp, _ b: Timestamp) -> Bool {
    (a.milliseconds &- b.milliseconds).magnitude <= agreement.magnitude
  }

  // MARK: Before the date is known

  /// Processes the time of another clock until the receiver provides it. Returns nil if the time is known, or if that
  /// clock is not valid: it is before the release of this program, or nothing synchronizes it.
  mutating func adopt(_ time: Timestamp, quality: ClockQuality, at moment: Moment) -> Notice? {
    guard self.quality == .none, quality >= .clockChip, time > Release.date, Self.possible.contains(time)
    else { return nil }
    doubted = nil
    steadySince = moment
    let offset = Self.offset(of: time, at: moment)
    self.quality = quality
    offsetMilliseconds = offset
    return .known(time, offsetMilliseconds: offset)
  }

  private mutating func readUndated(
    _ timestamp: Timestamp?, ofDay millisecondOfDay: Int32?, arrival: Moment, systemClock: Timestamp
  ) -> Reading {
    let moment = instant(ofDay: millisecondOfDay.map(Int64.init), arrival: arrival)
    guard let timestamp else { return Reading(timestamp: nil, moment: moment, notices: []) }
    let (repaired, repair) = repairWeek(of: timestamp, systemClock: systemClock)
    guard Self.isCredible(repaired, systemClock: systemClock) || resolveDoubt(by: repaired) == .confirmsDoubt
    else {
      doubted = repaired
      return Reading(timestamp: nil, moment: moment, notices: repair)
    }
    doubted = nil
    steadySince = arrival
    // Moments so far are counted from the first fix; later ones are arrival times.
    offsetMilliseconds = Self.offset(of: repaired, at: arrival)
    let known = Notice.known(repaired, offsetMilliseconds: Self.offset(of: repaired, at: moment))
    return Reading(timestamp: repaired, moment: moment, notices: repair + [known])
  }

  /// True if the date is credible without confirmation.
  private static func isCredible(_ time: Timestamp, systemClock: Timestamp) -> Bool {
    guard time >= WeekRollover.floor else { return false }
    let latest = WeekRollover.latest(systemClock: systemClock)
    return time.milliseconds <= (latest?.milliseconds ?? endOfUse) &+ agreement
  }

  /// The moment of a time of day, counted forward from the anchor; if the time of day decreases, a day has passed.
  private mutating func instant(ofDay millisecondOfDay: Int64?, arrival: Moment) -> Moment {
    guard let millisecondOfDay else { return arrival }
    var moment = arrival
    if let last = anchor {
      var elapsed = millisecondOfDay - last.millisecondOfDay
      if elapsed < -Self.halfDay { elapsed += Timestamp.millisecondsPerDay }
      // A recording played fast runs ahead of the boot clock. If the time was set back, or is so far behind that a
      // day may be missing, counting starts again here.
      let derived = last.moment + .milliseconds(elapsed)
      if elapsed >= 0, arrival - derived < .milliseconds(Self.halfDay) { moment = derived }
    }
    anchor = Anchor(moment: moment, millisecondOfDay: millisecondOfDay)
    return moment
  }

  // MARK: After the date is known

  /// The time of day on the day nearest to the clock; without one the time of the clock.
  private func dated(ofDay millisecondOfDay: Int32?, arrival: Moment, offset: Int64) -> Timestamp {
    let clock = Timestamp(milliseconds: arrival.nanoseconds / 1_000_000 &+ offset)
    guard let millisecondOfDay else { return clock }
    var difference = Int64(millisecondOfDay) - clock.millisecondOfDay
    if difference > Self.halfDay { difference -= Timestamp.millisecondsPerDay }
    if difference < -Self.halfDay { difference += Timestamp.millisecondsPerDay }
    return Timestamp(milliseconds: clock.milliseconds &+ difference)
  }

  private mutating func stepNotice(_ step: Int64, now: Moment) -> [Notice] {
    guard step.magnitude >= Self.noticeableStep.magnitude else { return [] }
    steadySince = now
    let last = step > 0 ? lastForwardStep : lastBackwardStep
    if step > 0 { lastForwardStep = now } else { lastBackwardStep = now }
    if let last, now - last < Self.shortestPause { return [] }
    return [.stepped(milliseconds: step)]
  }

  private mutating func repairWeek(
    of timestamp: Timestamp, systemClock: Timestamp
  ) -> (Timestamp, [Notice]) {
    let repaired = WeekRollover.repair(timestamp, latest: WeekRollover.latest(systemClock: systemClock))
    guard repaired != timestamp, !isWeekRepaired else { return (repaired, []) }
    isWeekRepaired = true
    let days = (repaired.milliseconds - timestamp.milliseconds) / Timestamp.millisecondsPerDay
    return (repaired, [.weekRepaired(days: days)])
  }

  private static func offset(of time: Timestamp, at moment: Moment) -> Int64 {
    time.milliseconds &- moment.nanoseconds / 1_000_000
  }

  private static let halfDay = Timestamp.millisecondsPerDay / 2
}
