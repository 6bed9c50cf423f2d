import GNSSProtocol
import Quantities
import Records

/// The way of a fix from the receiver to the recording rules: its date, validation, order and filters.
///
/// Every rejected fix is counted with its reason.
public struct FixPipeline: Sendable {
  /// A fix whose time is known as well as it can be.
  struct DatedFix {
    var fix: Fix
    var timestamp: Timestamp?
    /// Time of the fix on the boot clock.
    var moment: Moment
  }

  /// A change of the clock that dates records.
  enum ClockChange {
    /// The clock has run this long without the receiver.
    case lost(Duration)
    /// The receiver sets the clock again, which changed by this many ms.
    case returned(step: Int64)
    /// The date is known: undated records get this offset, and the last record this time.
    case known(Timestamp, offset: Int64, lastRecord: Timestamp?)
    case stepped(milliseconds: Int64)
    case weekRepaired(days: Int64)
    /// A date of the receiver is not believed.
    case dateRefused(Timestamp)
    /// Undated records get another offset.
    case redated(offset: Int64)
  }

  /// What an epoch of the receiver contains.
  struct Epoch {
    /// Changes of the clock, in their order, before the fixes.
    var changes: [ClockChange] = []
    /// A fix that was held for its doubtful date, which this epoch confirms.
    var confirmed: DatedFix?
    /// The fix of the epoch; nil if it is held for its doubtful date.
    var fix: DatedFix?
  }

  /// What may be recorded after a fix.
  struct Choice {
    /// Earlier fixes that were rejected, and that this one confirms; usually none.
    var earlier: [ValidFix] = []
    var fix: ValidFix?
  }

  /// The clock that dates records.
  public private(set) var clock: RecordClock
  /// The rejected fixes by reason.
  public private(set) var rejections = RejectionLedger()
  /// Number of processed epochs, with and without position.
  public private(set) var epochs: Int64 = 0
  /// The last record: the reference of all rules.
  private(set) var reference: Observation?
  private var filters = FixFilters()

  init(_ bounds: DateBounds) { clock = RecordClock(bounds) }

  // MARK: The date

  /// The log is open: its last dated record limits the dates.
  mutating func opened(lastRecord: Timestamp?) { clock.opened(lastRecord: lastRecord) }

  /// Reads an epoch of the receiver.
  mutating func read(_ fix: Fix, _ system: SystemTime, now: Moment) -> Epoch {
    epochs += 1
    // A date without a fix may come from the receiver's RTC, and one with an impossible position from anywhere. Only
    // a possible fix sets the clock.
    let isFix = fix.position != nil
    let offset = clock.offsetMilliseconds
    let reading = clock.read(
      timestamp: isFix ? fix.timestamp : nil, millisecondOfDay: isFix ? fix.millisecondOfDay : nil,
      arrival: now, system: system)
    var epoch = Epoch()
    if reading.isDated {
      if let step = clock.returned(since: offset, now: now) { epoch.changes.append(.returned(step: step)) }
    } else if let lost = lapse(now: now) {
      epoch.changes.append(lost)
    }
    for notice in reading.notices { epoch.changes += take(notice, now: now) }
    if clock.isStale(now: now) { epoch.changes += redate(now: now) }
    let dated = DatedFix(fix: fix, timestamp: reading.timestamp, moment: reading.moment)
    switch reading.trust {
    case .known: epoch.fix = dated
    case .confirmsDoubt:
      epoch.confirmed = clock.release().map { DatedFix($0) }
      epoch.fix = dated
    case .refutesDoubt:
      dropDoubtful(now: now)
      epoch.fix = dated
    case .doubtful(let isCredible):
      dropDoubtful(now: now)
      if let timestamp = reading.timestamp {
        clock.hold(.init(fix: fix, timestamp: timestamp, moment: reading.moment, isCredible: isCredible))
      }
    }
    return epoch
  }

  /// Counts an epoch of a receiver that has just started and may repeat old data.
  mutating func withhold(_ fix: Fix, now: Moment) {
    epochs += 1
    reject(.afterStart, .time(fix.timestamp), now: now)
  }

  /// The loss of the clock, once and before it dates anything; nil if the receiver set it recently.
  mutating func lapse(now: Moment) -> ClockChange? { clock.lapse(now: now).map { .lost($0) } }

  /// Sets the clock by another one than the receiver's; nil if the time is not credible.
  mutating func adopt(_ time: Timestamp, quality: ClockQuality, now: Moment) -> [ClockChange]? {
    clock.adopt(time, quality: quality, at: now).map { take($0, now: now) }
  }

  private mutating func take(_ notice: DeviceClock.Notice, now: Moment) -> [ClockChange] {
    switch notice {
    case .known(let time, let offset):
      clock.setOffset(offset, now: now)
      return [.known(time, offset: offset, lastRecord: dateReference(offset: offset))]
    case .stepped(let milliseconds): return redate(now: now) + [.stepped(milliseconds: milliseconds)]
    case .weekRepaired(let days): return [.weekRepaired(days: days)]
    case .dateRefused(let date): return [.dateRefused(date)]
    }
  }

  private mutating func redate(now: Moment) -> [ClockChange] {
    clock.redate(now: now).map { [.redated(offset: $0)] } ?? []
  }

  /// Dates the last record, because following fixes are compared with it.
  private mutating func dateReference(offset: Int64) -> Timestamp? {
    guard let moment = reference?.moment, reference?.timestamp == nil else { return nil }
    let time = Timestamp(milliseconds: moment.nanoseconds / 1_000_000 &+ offset)
    reference?.timestamp = time
    return time
  }

  /// Releases a held fix with a credible date, because no other fix follows; nil if there is none.
  mutating func releaseCredible(now: Moment) -> DatedFix? {
    guard clock.doubtful?.isCredible == true else {
      dropDoubtful(now: now)
      return nil
    }
    return clock.release().map { DatedFix($0) }
  }

  private mutating func dropDoubtful(now: Moment) {
    guard let pending = clock.release() else { return }
    reject(.impossibleTime, .time(pending.timestamp), now: now)
  }

  // MARK: Validation, order and filters

  /// The fix that may be recorded: this one, an earlier one in its place, or nil with the reason counted. Earlier ones that
  /// it confirms come with it.
  ///
  /// A location `known` without the receiver replaces the measured one. `last` is the last fix that was processed.
  mutating func screen(
    _ dated: DatedFix, known: Coordinate?, limits: FixFilters.Limits, evidence: SensedMotion,
    isRequested: Bool,
    last: Observation?, now: Moment
  ) -> Choice {
    let fix = dated.fix
    guard let coordinate = fix.position else {
      if fix.kind != .none, let latitude = fix.latitude, let longitude = fix.longitude {
        reject(.impossiblePosition, .position(latitude: latitude, longitude: longitude), now: now)
      } else {
        reject(.noFix, .time(fix.timestamp), now: now)
      }
      return Choice()
    }
    let validFix = ValidFix(
      known.map(fix.substituted) ?? fix, at: known ?? coordinate, timestamp: dated.timestamp,
      moment: dated.moment)
    switch OrderFilter.outcome(of: validFix.observation, after: reference) {
    case .newer: break
    case .notNewer:
      reject(.notNewer, .time(dated.timestamp), now: now)
      return Choice()
    case .newSeries:
      filters.beginSeries()
      reference = nil
    }
    // Errors of the receiver do not matter if the location is known.
    guard known == nil else { return Choice(fix: validFix) }
    let outcome = filters.outcome(
      of: validFix, limits: limits, motion: evidence.motion, movingSince: evidence.movingSince,
      isRequested: isRequested, now: now)
    switch outcome {
    case .pass: return Choice(fix: validFix)
    case .passAfter(let earlier):
      return Choice(earlier: earlier.filter { isNewer($0, than: [reference, last]) }, fix: validFix)
    case .reject(let rejection, let value, let instead):
      reject(rejection, value, now: now)
      return Choice(fix: instead.flatMap { isNewer($0, than: [reference, last]) ? $0 : nil })
    }
  }

  private func isNewer(_ earlier: ValidFix, than others: [Observation?]) -> Bool {
    others.allSatisfy { OrderFilter.outcome(of: earlier.observation, after: $0) == .newer }
  }

  /// True if a fix is newer than the last record; otherwise its rejection is counted.
  mutating func admits(_ observation: Observation, now: Moment) -> Bool {
    guard isNewer(observation) else {
      reject(.notNewer, .time(observation.timestamp), now: now)
      return false
    }
    return true
  }

  /// True if a fix is newer than the last record.
  func isNewer(_ observation: Observation) -> Bool {
    OrderFilter.outcome(of: observation, after: reference) == .newer
  }

  // MARK: Rejections

  /// Counts a rejected fix.
  mutating func reject(_ rejection: Rejection, _ value: RejectedValue, now: Moment) {
    rejections.count(rejection, value: value, now: now)
  }

  /// The event with the rejections since the last report, if there are any.
  mutating func reportRejections(now: Moment) -> EventRecord? {
    event(.fixesRejected, rejections.report(now: now))
  }

  /// The event with the rejections by recording rules, if they cause a long gap.
  mutating func reportLeftOut(now: Moment) -> EventRecord? {
    event(.fixesLeftOut, rejections.reportLeftOut(now: now))
  }

  /// Other recording rules apply.
  mutating func rulesChanged() { rejections.rulesChanged() }

  private func event(_ kind: EventKind, _ counts: [(Rejection, Int64)]) -> EventRecord? {
    guard !counts.isEmpty else { return nil }
    var numbers: [String: Int64] = [:]
    var last: [String: String] = [:]
    for (reason, count) in counts {
      numbers[reason.rawValue] = count
      if let value = rejections.totals[reason]?.lastValue, !value.isEmpty { last[reason.rawValue] = value }
    }
    return EventRecord(
      kind,
      [
        .count: .integer(counts.reduce(0) { $0 + $1.1 }), .rejections: .counts(numbers),
        .lastValues: last.isEmpty ? nil : .texts(last),
      ])
  }

  // MARK: The last record

  /// Processes the record of a fix, which becomes the reference of all rules. Returns the event with the rejections of the
  /// gap that it ends.
  mutating func recorded(_ observation: Observation, now: Moment) -> EventRecord? {
    reference = observation
    rejections.kept()
    return event(.fixesRejected, rejections.gapEnded(now: now))
  }

  /// The device was still at the last recorded position at this time. Fixes held back before it are not recorded any more.
  mutating func confirmedReference(at moment: Moment, _ time: Timestamp?) {
    reference?.timestamp = time
    reference?.moment = moment
    reference?.speed = 0
    reference?.course = nil
  }

  /// Continues after the last record of an earlier run.
  mutating func resume(after record: Observation) {
    guard reference == nil else { return }
    reference = record
    filters.resume(after: record)
  }

  /// Discards the reference: it is in a privacy zone.
  mutating func forgetReference() { reference = nil }
}

extension FixPipeline.DatedFix {
  fileprivate init(_ doubtful: RecordClock.DoubtfulFix) {
    self.init(fix: doubtful.fix, timestamp: doubtful.timestamp, moment: doubtful.moment)
  }
}

extension Fix {
  /// The fix with a known location, which is more accurate than the receiver: stationary, with an accuracy of 1 m.
  fileprivate func substituted(by position: Coordinate) -> Fix {
    var fix = Fix()
    fix.timestamp = timestamp
    fix.millisecondOfDay = millisecondOfDay
    fix.kind = .twoDimensional
    fix.latitude = position.latitude
    fix.longitude = position.longitude
    fix.speed = 0
    fix.horizontalAccuracy = WifiZone.accuracy
    fix.accuracySource = .wifiZone
    return fix
  }
}
