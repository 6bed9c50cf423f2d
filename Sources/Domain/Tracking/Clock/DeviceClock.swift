import Quantities

/// The clock of the device: UTC in this boot, learned from the receiver; until then from another adopted clock. Owned
/// by ``Tracker``.
///
/// A fix arrives later than its own time, with a varying delay. While the date is unknown, the moments of fixes are
/// derived from the receiver's time of day, counted from the first one. When the date becomes known, they are dated
/// exactly, without the delay. A later fix without date is dated immediately: by its time of day, and the day of the
/// clock.
///
/// ``DateBounds`` decide which dates count by themselves. A date that contradicts them, or differs from the clock by
/// ``longestStep`` or more, requires evidence: further dates that agree with it. The better the clock was known, the more.
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
    /// True if the receiver's date was accepted.
    public var isDated = false
  }

  /// The credibility of a fix's date, once the clock is set.
  public enum Trust: Equatable, Sendable {
    case known
    /// The date differs too much from the clock, so following fixes must agree first. `isCredible` is true if the date
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
  /// The dates that every live session or recording believes.
  private var bounds: DateBounds
  /// Dates that require evidence.
  private var doubted: DoubtedDates?
  /// Start of the time in which the receiver's time runs like the boot clock.
  private var steadySince = Moment.zero
  /// The last time at which something showed that the clock is right.
  private var agreedAt = Moment.zero

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

  /// Smallest difference between date and clock that requires evidence, in ms. A date that is wrong by a day is
  /// doubtful, too.
  static let longestStep = Timestamp.millisecondsPerDay / 2
  /// Time for which fixes with a doubtful date are held back. After it, a clock that is known better dates them.
  static let longestDoubt = Duration.seconds(10)
  /// Possible dates of a receiver: 1980, when GPS time begins, to 2099.
  private static let possible =
    Timestamp(milliseconds: 315_532_800_000)..<Timestamp(milliseconds: 4_102_444_800_000)
  /// Time for which the clock must have run steadily before anything is deleted by it.
  static let steadyTime = Duration.seconds(60)

  /// Creates a clock that believes the dates in `bounds`.
  public init(_ bounds: DateBounds = .recording) { self.bounds = bounds }

  /// The log is open: its last dated record limits the dates.
  mutating func opened(lastRecord: Timestamp?) { bounds.add(lastRecord: lastRecord) }

  /// UTC at a moment; nil until the time is known.
  public func timestamp(at moment: Moment) -> Timestamp? {
    offsetMilliseconds.map { Timestamp(milliseconds: moment.nanoseconds / 1_000_000 &+ $0) }
  }

  /// UTC at a moment, if the receiver's or the network's time has run steadily for ``steadyTime``: deletion by it
  /// cannot be undone.
  public func steadyTimestamp(at moment: Moment) -> Timestamp? {
    quality >= .network && moment - steadySince >= Self.steadyTime ? timestamp(at: moment) : nil
  }

  /// Processes the time of a fix. `timestamp` is the receiver's time without repair; the system clock is evidence for or
  /// against it.
  public mutating func read(
    timestamp: Timestamp?, millisecondOfDay: Int32?, arrival: Moment, systemClock: Timestamp,
    isSynchronised: Bool = false
  ) -> Reading {
    let system = SystemTime(utc: systemClock, isSynchronised: isSynchronised)
    let verdict = timestamp.map { Self.possible.contains($0) ? bounds.judge($0, system) : .impossible }
    guard let known = offsetMilliseconds else {
      return readUndated(timestamp, verdict, ofDay: millisecondOfDay, arrival: arrival)
    }
    let date: Timestamp
    var evidence = DateEvidence(againstSteadyClock: agreedAt - steadySince)
    switch verdict {
    case nil, .impossible?:
      let dated = self.dated(ofDay: millisecondOfDay, arrival: arrival, offset: known)
      offsetMilliseconds = Self.offset(of: dated, at: arrival)
      return Reading(timestamp: dated, moment: arrival, notices: [], trust: resolveDoubt())
    case .credible(let credible)?:
      date = credible
      if confirms(date, not: known, at: arrival, system) {
        evidence = system.isSynchronised ? .second : evidence.limited(to: .seconds)
      } else if quality < .receiver {
        evidence = .seconds
      }
    case .doubtful(let doubtful, let required)?:
      date = doubtful
      evidence = evidence.joined(required)
    }
    let offset = Self.offset(of: date, at: arrival)
    var trust = Trust.known
    if (offset &- known).magnitude >= Self.longestStep.magnitude {
      guard isProven(date, by: evidence, at: arrival) else {
        return readDoubted(
          date, ofDay: millisecondOfDay, arrival: arrival, offset: known, isCredible: evidence == .second)
      }
      trust = .confirmsDoubt
    } else {
      trust = resolveDoubt()
    }
    offsetMilliseconds = offset
    quality = .receiver
    agreedAt = arrival
    let step = stepNotice(offset &- known, now: arrival)
    return Reading(
      timestamp: date, moment: arrival, notices: repairNotice(date, of: timestamp) + step, trust: trust,
      isDated: true)
  }

  /// A fix with a doubtful date: held at first; later it gets the time of the clock, which is known better.
  private func readDoubted(
    _ date: Timestamp, ofDay millisecondOfDay: Int32?, arrival: Moment, offset: Int64, isCredible: Bool
  ) -> Reading {
    guard let doubted, arrival - doubted.since >= Self.longestDoubt else {
      return Reading(
        timestamp: date, moment: arrival, notices: [], trust: .doubtful(isCredible: isCredible))
    }
    let clock = Timestamp(milliseconds: arrival.nanoseconds / 1_000_000 &+ offset)
    let ofDay = dated(ofDay: millisecondOfDay, arrival: arrival, offset: offset)
    let isNear = (ofDay.milliseconds &- clock.milliseconds).magnitude < Self.noticeableStep.magnitude
    return Reading(timestamp: isNear ? ofDay : clock, moment: arrival, notices: [], trust: .refutesDoubt)
  }

  /// True if a synchronised or at least set system clock shows the date, and not the time of this clock.
  private func confirms(_ date: Timestamp, not offset: Int64, at moment: Moment, _ system: SystemTime) -> Bool
  {
    let clock = Timestamp(milliseconds: moment.nanoseconds / 1_000_000 &+ offset)
    return system.agrees(with: date) && !system.agrees(with: clock)
  }

  /// Adds a date to the doubted ones. Returns true if they are sufficient evidence, and ends the doubt.
  private mutating func isProven(_ date: Timestamp, by evidence: DateEvidence, at moment: Moment) -> Bool {
    guard var series = doubted else {
      doubted = DoubtedDates(date, at: moment)
      return false
    }
    series.add(date, at: moment, agreement: evidence.agreement)
    let isProven = series.satisfies(evidence, now: moment)
    doubted = isProven ? nil : series
    return isProven
  }

  /// Ends the doubt by a date that agrees with the clock, or by a fix without a date.
  private mutating func resolveDoubt() -> Trust {
    guard doubted != nil else { return .known }
    doubted = nil
    return .refutesDoubt
  }

  // MARK: Before the date is known

  /// Processes the time of another clock until the receiver provides it. Returns nil if the time is known, or if that
  /// clock is not valid: ``DateBounds`` do not admit it, or nothing synchronizes it.
  mutating func adopt(_ time: Timestamp, quality: ClockQuality, at moment: Moment) -> Notice? {
    guard self.quality == .none, quality >= .clockChip, bounds.admits(time, of: quality),
      Self.possible.contains(time)
    else { return nil }
    doubted = nil
    (steadySince, agreedAt) = (moment, moment)
    let offset = Self.offset(of: time, at: moment)
    self.quality = quality
    offsetMilliseconds = offset
    return .known(time, offsetMilliseconds: offset)
  }

  private mutating func readUndated(
    _ timestamp: Timestamp?, _ verdict: DateBounds.Verdict?, ofDay millisecondOfDay: Int32?, arrival: Moment
  ) -> Reading {
    let moment = instant(ofDay: millisecondOfDay.map(Int64.init), arrival: arrival)
    let date: Timestamp
    switch verdict {
    case nil, .impossible?: return Reading(timestamp: nil, moment: moment, notices: [])
    case .credible(let credible)?: date = credible
    case .doubtful(let doubtful, let evidence)?:
      date = doubtful
      guard isProven(date, by: evidence, at: arrival) else {
        return Reading(timestamp: nil, moment: moment, notices: [])
      }
    }
    doubted = nil
    (steadySince, agreedAt) = (arrival, arrival)
    // Moments so far are counted from the first fix; later ones are arrival times.
    offsetMilliseconds = Self.offset(of: date, at: arrival)
    let known = Notice.known(date, offsetMilliseconds: Self.offset(of: date, at: moment))
    return Reading(
      timestamp: date, moment: moment, notices: repairNotice(date, of: timestamp) + [known], isDated: true)
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

  /// The notice about the first repaired date.
  private mutating func repairNotice(_ date: Timestamp, of timestamp: Timestamp?) -> [Notice] {
    guard let timestamp, date != timestamp, !isWeekRepaired else { return [] }
    isWeekRepaired = true
    return [.weekRepaired(days: (date.milliseconds &- timestamp.milliseconds) / Timestamp.millisecondsPerDay)]
  }

  private static func offset(of time: Timestamp, at moment: Moment) -> Int64 {
    time.milliseconds &- moment.nanoseconds / 1_000_000
  }

  private static let halfDay = Timestamp.millisecondsPerDay / 2
}
