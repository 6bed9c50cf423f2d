import Quantities

/// What is known about UTC on this boot, learned from the receiver; until that tells it, from a time that is adopted.
///
/// A fix arrives later than its own time, and not always by the same delay. So while the date is unknown the
/// moments of fixes are derived from the receiver's time of day, counted from the first one: when the date
/// comes they are dated exactly, not to the delay of their arrival. A fix without a date that comes later is
/// dated at once: its time of day tells the instant, the clock the day.
///
/// One date alone is not believed where it is before ``WeekRollover/floor``, in the future, or more than a day away from
/// what the clock says: the next one has to agree with it.
public struct DeviceClock: Equatable, Sendable {
  /// Something about the clock that belongs in the log.
  public enum Notice: Equatable, Sendable {
    /// The date became known; `offset` is UTC in milliseconds minus the moment in milliseconds.
    case known(Timestamp, offsetMilliseconds: Int64)
    /// The receiver's date jumped by this many milliseconds against the boot clock.
    case stepped(milliseconds: Int64)
    /// The receiver's date was a multiple of 1,024 weeks behind.
    case weekRepaired(days: Int64)
  }

  /// A fix's time as the rest of the tracker uses it.
  public struct Reading: Equatable, Sendable {
    /// Nil while the date is unknown, never afterwards.
    public var timestamp: Timestamp?
    /// The fix's own instant on the boot clock.
    public var moment: Moment
    public var notices: [Notice]
    public var trust = Trust.known
  }

  /// What is to be thought of a fix's date, once the clock is set.
  public enum Trust: Equatable, Sendable {
    case known
    /// So far from the clock that the next fix must agree before it is believed; `isCredible` without one, if none comes.
    case doubtful(isCredible: Bool)
    /// The date of the fix before was right: the receiver's time has jumped.
    case confirmsDoubt
    /// The date of the fix before was wrong.
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
  /// A date that waits for one that agrees with it.
  private var doubted: Timestamp?
  /// Since when the receiver's time has run as the boot clock does.
  private var steadySince = Moment.zero

  /// UTC in milliseconds minus moment in milliseconds; nil until the time is known.
  public private(set) var offsetMilliseconds: Int64? {
    didSet { if offsetMilliseconds != nil, quality == .none { quality = .receiver } }
  }
  /// Where the time came from.
  public private(set) var quality = ClockQuality.none

  /// A step in the log is worth saying from this size on; less is the delay of arrival.
  static let noticeableStep: Int64 = 5000
  /// Steps one way that come faster are a recording that is played fast, or a receiver that is beside itself; only the
  /// first is worth saying.
  static let shortestPause = Duration.seconds(60)

  /// Dates that differ by more do not agree.
  static let agreement = Timestamp.millisecondsPerDay
  /// What a receiver can mean: 1980, when GPS time begins, to 2099.
  private static let possible =
    Timestamp(milliseconds: 315_532_800_000)..<Timestamp(milliseconds: 4_102_444_800_000)
  /// Twenty years after the release: later than this program runs where no system clock says what is later.
  private static let endOfUse = Release.date.milliseconds + 7305 * Timestamp.millisecondsPerDay
  /// For so long the time must have run steadily before anything is deleted by it.
  static let steadyTime = Duration.seconds(60)

  public init() {}

  /// UTC at a moment; nil until the time is known.
  public func timestamp(at moment: Moment) -> Timestamp? {
    offsetMilliseconds.map { Timestamp(milliseconds: moment.nanoseconds / 1_000_000 &+ $0) }
  }

  /// The same, while the receiver's or the network's time has run steadily for ``steadyTime``: what is deleted by it does
  /// not come back.
  public func steadyTimestamp(at moment: Moment) -> Timestamp? {
    quality >= .network && moment - steadySince >= Self.steadyTime ? timestamp(at: moment) : nil
  }

  /// Takes the time of a fix. `timestamp` is what the receiver says, unrepaired; `systemClock` bounds the repair.
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
    let step = worthSaying(offset &- known, now: arrival)
    return Reading(timestamp: repaired, moment: arrival, notices: repair + step, trust: trust)
  }

  /// Ends a doubt: nil is a date that agrees with the clock.
  private mutating func resolveDoubt(by timestamp: Timestamp?) -> Trust {
    guard let doubted else { return .known }
    self.doubted = nil
    guard let timestamp, Self.agree(doubted, timestamp) else { return .refutesDoubt }
    return .confirmsDoubt
  }

  private static func agree(_ a: Timestamp, _ b: Timestamp) -> Bool {
    (a.milliseconds &- b.milliseconds).magnitude <= agreement.magnitude
  }

  // MARK: Before the date

  /// Takes the time of another clock until the receiver tells it. Answers nil if the time is known already, or if that
  /// clock can tell none: it shows a time before the release of this program, or nothing keeps it right.
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
    // The moments so far are counted from the first fix; from now on arrivals are.
    offsetMilliseconds = Self.offset(of: repaired, at: arrival)
    let known = Notice.known(repaired, offsetMilliseconds: Self.offset(of: repaired, at: moment))
    return Reading(timestamp: repaired, moment: moment, notices: repair + [known])
  }

  /// Credible without a second one.
  private static func isCredible(_ time: Timestamp, systemClock: Timestamp) -> Bool {
    guard time >= WeekRollover.floor else { return false }
    let latest = WeekRollover.latest(systemClock: systemClock)
    return time.milliseconds <= (latest?.milliseconds ?? endOfUse) &+ agreement
  }

  /// The instant of a time of day, counted forward from the anchor; a day has passed when it falls.
  private mutating func instant(ofDay millisecondOfDay: Int64?, arrival: Moment) -> Moment {
    guard let millisecondOfDay else { return arrival }
    var moment = arrival
    if let last = anchor {
      var elapsed = millisecondOfDay - last.millisecondOfDay
      if elapsed < -Self.halfDay { elapsed += Timestamp.millisecondsPerDay }
      // A recording that is played fast runs ahead of the boot clock. Set back, or so far behind the boot clock
      // that a day may be missing: count anew from here.
      let derived = last.moment + .milliseconds(elapsed)
      if elapsed >= 0, arrival - derived < .milliseconds(Self.halfDay) { moment = derived }
    }
    anchor = Anchor(moment: moment, millisecondOfDay: millisecondOfDay)
    return moment
  }

  // MARK: After it

  /// The time of day, on the day that brings it nearest to the clock; without one the clock itself.
  private func dated(ofDay millisecondOfDay: Int32?, arrival: Moment, offset: Int64) -> Timestamp {
    let clock = Timestamp(milliseconds: arrival.nanoseconds / 1_000_000 &+ offset)
    guard let millisecondOfDay else { return clock }
    var difference = Int64(millisecondOfDay) - clock.millisecondOfDay
    if difference > Self.halfDay { difference -= Timestamp.millisecondsPerDay }
    if difference < -Self.halfDay { difference += Timestamp.millisecondsPerDay }
    return Timestamp(milliseconds: clock.milliseconds &+ difference)
  }

  private mutating func worthSaying(_ step: Int64, now: Moment) -> [Notice] {
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
