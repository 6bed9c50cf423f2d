import Quantities

/// The clock of the device: UTC in this boot, learned from the receiver; until then from another adopted clock. Owned
/// by ``Tracker``.
///
/// A fix arrives later than its own time, with a varying delay. While the date is unknown, the moments of fixes are
/// derived from the receiver's time of day, counted from the first one. When the date becomes known, they are dated
/// exactly, without the delay. A later fix without date is dated immediately: by its time of day, and the day of the
/// clock.
///
/// ``DateBounds`` decide which dates count by themselves. A date that contradicts them, or differs too much from the clock,
/// requires evidence: further dates that agree with it. The better the clock was known, the more. ``longestStep`` is too
/// much for every clock. A live session has smaller limits, ``earlyStep`` and ``steadyStep``; a recording has gaps that are
/// played without a pause.
public struct DeviceClock: Equatable, Sendable {
  /// A change of the clock for the log.
  public enum Notice: Equatable, Sendable {
    /// The date became known; `offset` is UTC in milliseconds minus the moment in milliseconds.
    case known(Timestamp, offsetMilliseconds: Int64)
    /// The receiver's date jumped by this many milliseconds against the boot clock.
    case stepped(milliseconds: Int64)
    /// The receiver's date was a multiple of 1,024 weeks behind.
    case weekRepaired(days: Int64)
    /// A date of the receiver is not believed.
    case dateRefused(Timestamp)
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

  private struct Arrived: Equatable, Sendable {
    var time: Timestamp
    var arrival: Moment
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
  /// Whether the receiver's time runs like the boot clock.
  private var pace = SteadyPace()
  /// The last epoch with a time, whether it was believed or not.
  private var last: Arrived?
  /// True if a time of the receiver has set the clock.
  private var isSetByReceiver = false
  private var refusals = DateRefusals()

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
  /// The same for a live session whose receiver's time runs like the boot clock, in ms.
  static let steadyStep: Int64 = 60_000
  /// The same for a live session before that is known, in ms.
  static let earlyStep: Int64 = 1_800_000
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
    offsetMilliseconds.map { Self.time(at: moment, offset: $0) }
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
    if bounds.isLive, let ofDay = millisecondOfDay.map(Int64.init) ?? timestamp?.millisecondOfDay {
      pace.add(millisecondOfDay: ofDay, at: arrival)
    }
    guard let known = offsetMilliseconds else {
      return readUndated(timestamp, verdict, ofDay: millisecondOfDay, arrival: arrival)
    }
    let clock = Self.time(at: arrival, offset: known)
    let epoch = Epoch(
      verdict: verdict, refused: timestamp, clock: clock,
      ofDay: millisecondOfDay.map { Self.time(ofDay: $0, near: clock) },
      arrival: arrival)
    return read(epoch, evidence: evidence(for: epoch, system), system)
  }

  /// An epoch beside the clock.
  private struct Epoch {
    /// What is known about the date; nil for none.
    var verdict: DateBounds.Verdict?
    /// The receiver's date without repair.
    var refused: Timestamp?
    /// The time of the clock.
    var clock: Timestamp
    /// The time of day on the day nearest to the clock; nil for none.
    var ofDay: Timestamp?
    var arrival: Moment

    /// The receiver's date; nil for none.
    var date: Timestamp? {
      switch verdict {
      case nil, .impossible?: nil
      case .credible(let date)?, .doubtful(let date, _)?: date
      }
    }
    /// The receiver's time; nil for none.
    var own: Timestamp? { date ?? ofDay }
    var time: Timestamp { own ?? clock }
    /// Difference from the clock, in ms.
    var step: Int64 { time.milliseconds &- clock.milliseconds }
  }

  /// The evidence that the time of an epoch requires if it differs too much from the clock.
  private func evidence(for epoch: Epoch, _ system: SystemTime) -> DateEvidence {
    guard epoch.step.magnitude >= Self.longestStep.magnitude else {
      return isKnownWell(system) ? .steadySeconds : .three
    }
    let evidence = DateEvidence(againstSteadyClock: agreedAt - steadySince)
    if case .doubtful(_, let required)? = epoch.verdict { return evidence.joined(required) }
    // A synchronised or at least set system clock shows the date, and not the time of this clock.
    if system.agrees(with: epoch.time), !system.agrees(with: epoch.clock) {
      return system.isSynchronised ? .second : evidence.limited(to: .seconds)
    }
    return quality < .receiver ? .seconds : evidence
  }

  private mutating func read(_ epoch: Epoch, evidence: DateEvidence, _ system: SystemTime) -> Reading {
    let arrival = epoch.arrival
    var trust = Trust.known
    var notices: [Notice] = []
    if case .impossible? = epoch.verdict { notices = refusals.refused(epoch.refused, now: arrival) }
    let isLate = isLate(epoch)
    if let time = epoch.own { last = Arrived(time: time, arrival: arrival) }
    if isLate {
      // The epoch before was held; it was as late.
      trust = doubted == nil ? .known : .confirmsDoubt
      doubted = nil
      refusals.confirmed()
      return Reading(timestamp: epoch.time, moment: arrival, notices: notices, trust: trust)
    } else if epoch.step.magnitude >= smallestDoubt(system) {
      guard isProven(epoch.time, by: evidence, at: arrival) else {
        return readDoubted(epoch, isCredible: evidence == .second, notices)
      }
      refusals.confirmed()
      trust = .confirmsDoubt
    } else if doubted != nil, epoch.own != nil {
      doubted = nil
      trust = .refutesDoubt
      notices += refusals.refuted(now: arrival)
    }
    isSetByReceiver = isSetByReceiver || epoch.own != nil
    offsetMilliseconds = Self.offset(of: epoch.time, at: arrival)
    guard let date = epoch.date else {
      if trust == .confirmsDoubt { notices += stepNotice(epoch.step, now: arrival) }
      return Reading(timestamp: epoch.time, moment: arrival, notices: notices, trust: trust)
    }
    quality = .receiver
    agreedAt = arrival
    notices += repairNotice(date, of: epoch.refused) + stepNotice(epoch.step, now: arrival)
    return Reading(timestamp: date, moment: arrival, notices: notices, trust: trust, isDated: true)
  }

  /// Smallest difference from the clock that requires evidence, in ms.
  private func smallestDoubt(_ system: SystemTime) -> Int64 {
    guard bounds.isLive else { return Self.longestStep }
    if isKnownWell(system) { return Self.steadyStep }
    return isSetByReceiver ? Self.earlyStep : Self.longestStep
  }

  /// True if the receiver has set the clock for some time, or a synchronised clock has.
  private func isKnownWell(_ system: SystemTime) -> Bool {
    (isSetByReceiver && pace.isSteady) || (quality >= .network && system.isSynchronised)
  }

  /// True for an epoch that arrives after its time, because the program or the connection had stopped: it follows the
  /// one before, and catches up with the boot clock.
  private func isLate(_ epoch: Epoch) -> Bool {
    guard bounds.isLive, pace.isSteady, let last, let time = epoch.own, epoch.step <= -Self.noticeableStep
    else {
      return false
    }
    let following = time - last.time
    return following > .zero && following >= (epoch.arrival - last.arrival) * 2
  }

  /// A fix with a doubtful date: held at first; later it gets the time of the clock, which is known better.
  private mutating func readDoubted(_ epoch: Epoch, isCredible: Bool, _ notices: [Notice]) -> Reading {
    refusals.doubted(epoch.time)
    guard let doubted, epoch.arrival - doubted.since >= Self.longestDoubt else {
      return Reading(
        timestamp: epoch.time, moment: epoch.arrival, notices: notices,
        trust: .doubtful(isCredible: isCredible))
    }
    let ofDay = epoch.ofDay ?? epoch.clock
    let isNear = (ofDay.milliseconds &- epoch.clock.milliseconds).magnitude < Self.noticeableStep.magnitude
    return Reading(
      timestamp: isNear ? ofDay : epoch.clock, moment: epoch.arrival,
      notices: notices + refusals.refuted(now: epoch.arrival), trust: .refutesDoubt)
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
    case nil: return Reading(timestamp: nil, moment: moment, notices: [])
    case .impossible?:
      return Reading(timestamp: nil, moment: moment, notices: refusals.refused(timestamp, now: arrival))
    case .credible(let credible)?:
      date = credible
      // The epochs before, which had no date, show another hour.
      let ofDay = millisecondOfDay.map(Int64.init) ?? credible.millisecondOfDay
      if pace.isSteady, pace.deviation(of: ofDay, at: arrival) > Self.steadyStep {
        guard isProven(date, by: .steadySeconds, at: arrival) else {
          return Reading(timestamp: nil, moment: moment, notices: [])
        }
      }
    case .doubtful(let doubtful, let evidence)?:
      date = doubtful
      guard isProven(date, by: evidence, at: arrival) else {
        let isLong = doubted.map { arrival - $0.since > Self.longestDoubt } ?? false
        return Reading(
          timestamp: nil, moment: moment, notices: isLong ? refusals.refused(date, now: arrival) : [])
      }
    }
    doubted = nil
    refusals.confirmed()
    (isSetByReceiver, last) = (true, Arrived(time: date, arrival: arrival))
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
      // A recording played fast runs ahead of the boot clock. If the time was set back or jumps, or is so far behind
      // that a day may be missing, counting starts again here.
      let derived = last.moment + .milliseconds(elapsed)
      let jump = pace.isSteady ? Self.steadyStep : Self.earlyStep
      let isJump =
        bounds.isLive && elapsed > jump && (derived - arrival).wholeMilliseconds > jump
      if elapsed >= 0, arrival - derived < .milliseconds(Self.halfDay), !isJump { moment = derived }
    }
    anchor = Anchor(moment: moment, millisecondOfDay: millisecondOfDay)
    return moment
  }

  // MARK: After the date is known

  /// The time of day on the day nearest to the clock.
  private static func time(ofDay millisecondOfDay: Int32, near clock: Timestamp) -> Timestamp {
    var difference = Int64(millisecondOfDay) - clock.millisecondOfDay
    if difference > halfDay { difference -= Timestamp.millisecondsPerDay }
    if difference < -halfDay { difference += Timestamp.millisecondsPerDay }
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

  private static func time(at moment: Moment, offset: Int64) -> Timestamp {
    Timestamp(milliseconds: moment.nanoseconds / 1_000_000 &+ offset)
  }

  private static let halfDay = Timestamp.millisecondsPerDay / 2
}
