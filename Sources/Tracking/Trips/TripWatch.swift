import Quantities
import Records

/// Begins and ends trips.
///
/// It is told fixes, evidence and commands, and answers what became of the trip; the ``Tracker`` makes records of it.
struct TripWatch: Equatable, Sendable {
  enum Outcome: Equatable, Sendable {
    /// The trip is in ``running``. `held` are fixes of its beginning that become records now.
    case began(held: [FixRing.Held])
    case ended(RunningTrip, end: End)
    /// Ended as well, but it was too short to be one.
    case wasNone(RunningTrip, end: End)
  }

  struct End: Equatable, Sendable {
    /// The fix at which it ended; nil where it ended by a word and not by a place.
    var sample: Sample?
    /// On the boot clock; what counts where no fix says when.
    var moment: Moment
    /// The same as far as it has a date.
    var instant: Instant
    var ending: TripRecord.Ending
  }

  var rules: TripRules
  private(set) var running: RunningTrip? { didSet { isRunning = running != nil } }
  /// Asked for each fix: ``running`` is too large to be copied for that.
  private(set) var isRunning = false
  private(set) var ring = FixRing()
  /// The place of the last rest.
  private var restPlace: Coordinate?
  /// The place of the last rest that was long enough to end a trip: the next one begins there, whatever pauses follow.
  private var origin: Coordinate?
  /// Ended by hand while moving: no automatic start before the next rest.
  private var isHeldOff = false
  /// The last fix of the running trip, or since when one is waited for.
  private var heard = Moment.zero
  private var confirming = 0
  private var fastSince: Sample?

  /// Metres within which a device at rest may seem to wander.
  static let drift = 25.0

  init(rules: TripRules) { self.rules = rules }

  /// True while a trip runs that a rest may end.
  private var isEndedByItself: Bool { running?.isManual == false }

  // MARK: Fixes

  /// Takes a fix that passed the filters. `rest` has it already.
  mutating func take(
    _ sample: Sample, isStable: Bool, rest: RestWatch, evidence: SensedMotion, now: Moment
  ) -> [Outcome] {
    if isRunning { return follow(sample, rest: rest, evidence: evidence, now: now) }
    // Carried by a ferry is no way of its own: the last rest before the engine starts counts, however short.
    if evidence.ignition == false { origin = nil }
    if rest.isResting(for: RestWatch.stopped, evidence, now: now) {
      rested(rest, evidence, now: now)
      return []
    }
    guard rules.isAutomatic, !isHeldOff, evidence.ignition != false, isStable, isConfirmed(by: sample) else {
      return []
    }
    return [begin(sample, now: now)]
  }

  /// It has stood where it is for some time, and where that is long enough, the next trip begins there.
  mutating func rested(_ rest: RestWatch, _ evidence: SensedMotion, now: Moment) {
    guard running == nil else { return }
    isHeldOff = false
    fastSince = nil
    let isOrigin = origin == nil || rest.isResting(for: rules.endDelay, evidence, now: now)
    if isOrigin {
      confirming = 0
      // The place is known, and nothing new is.
      if !ring.rest(now: now), origin != nil, origin == restPlace { return }
    }
    restPlace = rest.stay?.centre ?? restPlace
    if isOrigin { origin = restPlace }
  }

  private mutating func isConfirmed(by sample: Sample) -> Bool {
    let place = origin ?? restPlace ?? ring.held.first?.sample.coordinate ?? sample.coordinate
    origin = place
    let away = sample.coordinate.distance(to: place) - (sample.accuracy ?? 0)
    confirming = away >= rules.startDistance ? confirming + 1 : 0
    if sample.speed ?? 0 >= max(rules.startSpeed, 3 * (sample.speedAccuracy ?? 0)) {
      fastSince = fastSince ?? sample
    } else {
      fastSince = nil
    }
    if confirming >= 2 { return true }
    guard let fastSince, let lasted = sample.elapsed(since: fastSince) else { return false }
    return lasted >= rules.startDuration && away >= Self.drift
  }

  private mutating func begin(_ sample: Sample, now: Moment) -> Outcome {
    let index = ring.start(from: origin ?? sample.coordinate, drift: Self.drift, next: sample)
    let first = index.map { ring.held[$0].sample } ?? sample
    var trip = RunningTrip(mode: rules.mode, start: Self.instant(first), isManual: false)
    trip.startMoment = first.moment
    for held in index.map({ ring.held[$0...] }) ?? [] { trip.odometer.add(held.sample) }
    trip.odometer.add(sample)
    trip.last = sample
    let kept = index.flatMap { index in
      ring.held[index...].first { $0.state == .kept && $0.isGoodStart }?.place
    }
    let held = index.map { ring.write(from: $0) } ?? []
    trip.startPlace = kept
    running = trip
    heard = now
    ring.clear()
    confirming = 0
    fastSince = nil
    return .began(held: held)
  }

  /// The rest is over with a fix, trip or not: those since then become records.
  mutating func departed(by sample: Sample) -> [FixRing.Held] {
    guard running == nil, let place = restPlace ?? ring.held.first?.sample.coordinate,
      let index = ring.start(from: place, drift: Self.drift, next: sample)
    else { return [] }
    return ring.write(from: index)
  }

  private mutating func follow(
    _ sample: Sample, rest: RestWatch, evidence: SensedMotion, now: Moment
  ) -> [Outcome] {
    heard = now
    let last = running?.last
    let pause = last.flatMap { sample.elapsed(since: $0) } ?? .zero
    // Evidence of motion bridges a tunnel, not an hour.
    if isEndedByItself, pause >= (evidence.isMoving ? rules.gapLimit : rules.fixTimeout) {
      return end(at: last, moment: now - pause, .noFix)
        + take(sample, isStable: false, rest: rest, evidence: evidence, now: now)
    }
    let isStill = rest.isResting(for: RestWatch.stopped, evidence, now: now) && !Odometer.isMoving(sample)
    if !isStill { running?.odometer.add(sample) }
    running?.last = sample
    return endIfResting(rest, evidence, now: now)
  }

  // MARK: The end

  /// When something is due without another fix.
  func nextTimeout(_ rest: RestWatch, _ evidence: SensedMotion) -> Moment? {
    guard isEndedByItself else { return nil }
    let silence = heard + (evidence.isMoving ? rules.gapLimit : rules.fixTimeout)
    let resting = rest.deadline(for: delay(evidence), evidence)
    guard let resting else { return silence }
    return min(silence, max(resting, evidence.ignitionOffSince.map { $0 + rules.ignitionDelay } ?? resting))
  }

  mutating func handleTimeout(_ rest: RestWatch, _ evidence: SensedMotion, now: Moment) -> [Outcome] {
    let outcomes = endIfResting(rest, evidence, now: now)
    guard outcomes.isEmpty, isEndedByItself,
      now >= heard + (evidence.isMoving ? rules.gapLimit : rules.fixTimeout)
    else { return outcomes }
    return end(at: running?.last, moment: heard, .noFix)
  }

  private func delay(_ evidence: SensedMotion) -> Duration {
    evidence.ignition == false ? min(rules.ignitionDelay, rules.endDelay) : rules.endDelay
  }

  private mutating func endIfResting(_ rest: RestWatch, _ evidence: SensedMotion, now: Moment) -> [Outcome] {
    guard isEndedByItself else { return [] }
    if rest.isResting(for: rules.endDelay, evidence, now: now), let stay = rest.stay {
      return end(at: stay.first, restingAt: stay.centre, moment: stay.first.moment ?? now, .rest)
    }
    guard let off = evidence.ignitionOffSince, now >= off + rules.ignitionDelay,
      rest.isResting(for: RestWatch.stopped, evidence, now: now), let stay = rest.stay
    else { return [] }
    return end(at: stay.first, restingAt: stay.centre, moment: stay.first.moment ?? now, .ignition)
  }

  private mutating func end(
    at sample: Sample?, restingAt place: Coordinate? = nil, moment: Moment, _ ending: TripRecord.Ending
  ) -> [Outcome] {
    guard var trip = running else { return [] }
    running = nil
    ring.clear()
    restPlace = place ?? sample?.coordinate ?? restPlace
    origin = restPlace
    if let sample, ending != .noFix { trip.odometer.close(at: sample) }
    let end = End(
      sample: sample, moment: moment, instant: sample.map(Self.instant) ?? .boot(moment), ending: ending)
    let isShort =
      trip.odometer.millimetres < Int64(min(rules.minDistance, 1e9) * 1000)
      || trip.duration(to: end) < rules.minDuration
    return [!trip.isManual && isShort ? .wasNone(trip, end: end) : .ended(trip, end: end)]
  }

  // MARK: Commands

  /// A trip begins now because somebody says so; nothing while one runs.
  mutating func start(_ mode: TripMode, at instant: Instant, now: Moment) -> [Outcome] {
    guard running == nil else { return [] }
    ring.clear()
    var trip = RunningTrip(mode: mode, start: instant, isManual: true)
    trip.startMoment = now
    running = trip
    return [.began(held: [])]
  }

  mutating func setMode(_ mode: TripMode) { running?.mode = mode }

  /// Ends the trip now: by hand, or with the automatic pause.
  mutating func stop(_ ending: TripRecord.Ending, at instant: Instant, now: Moment) -> [Outcome] {
    stop(at: End(sample: nil, moment: now, instant: instant, ending: ending))
  }

  /// Ends a trip that somebody ended while no program ran: where it was seen last, for nobody knows more.
  mutating func stopWhereSeenLast(at instant: Instant, now: Moment) -> [Outcome] {
    let last = running?.last.flatMap { $0.timestamp == nil ? nil : $0 }
    return stop(
      at: End(sample: last, moment: now, instant: last.map(Self.instant) ?? instant, ending: .asked))
  }

  private mutating func stop(at end: End) -> [Outcome] {
    guard var trip = running else { return [] }
    isHeldOff = end.ending == .asked
    running = nil
    // The next one begins where it rests next.
    origin = nil
    ring.clear()
    if let last = trip.last { trip.odometer.close(at: last) }
    return [.ended(trip, end: end)]
  }

  // MARK: What the tracker adds

  /// A fix that became a record of the running trip; true for the place where it began.
  mutating func kept(_ place: TripRecord.Place) -> Bool {
    guard isRunning else { return false }
    let isFirst = running?.startPlace == nil && place.isGoodStart
    goOn(to: place)
    return isFirst
  }

  /// The running trip was at a place that became a record: its last, and its first where it has none that is good enough.
  private mutating func goOn(to place: TripRecord.Place) {
    running?.lastPlace = place
    if running?.startPlace == nil, place.isGoodStart { running?.startPlace = place }
  }

  /// The last record of an earlier start; true where it is of the running trip, which went on at least until then. Until
  /// the next fix, with which the state is kept, the log tells it again.
  mutating func recall(_ place: TripRecord.Place, _ sample: Sample) -> Bool {
    guard let trip = running, place.location.trip == trip.start else { return false }
    if let last = trip.last, OrderFilter.outcome(of: sample, after: last) != .newer { return false }
    running?.odometer.add(sample)
    running?.last = sample
    goOn(to: place)
    return true
  }

  /// A fix outside trips: held back when it did not become a record.
  mutating func hold(_ sample: Sample, record: LogRecord, isKept: Bool) {
    guard isHolding else { return }
    ring.add(sample, record: record, isKept: isKept, place: origin, drift: Self.drift)
  }

  /// True while a trip may begin by itself.
  var isHolding: Bool { rules.isAutomatic && !isRunning }

  /// What the counter of steps shows where the trip's steps begin; the first one counts.
  mutating func setStepBase(_ steps: Int32) {
    if running?.stepsBefore == nil { running?.stepsBefore = steps }
  }

  mutating func date(offsetMilliseconds offset: Int64, quality: ClockQuality) {
    ring.date(offsetMilliseconds: offset, quality: quality)
    guard let trip = running else { return }
    running?.start = trip.start.dated(offsetMilliseconds: offset)
    running?.startPlace = trip.startPlace?.dated(offsetMilliseconds: offset)
    running?.lastPlace = trip.lastPlace?.dated(offsetMilliseconds: offset)
  }

  /// Goes on with a trip of an earlier run; the first fix is waited for from now on.
  mutating func resume(_ trip: RunningTrip, now: Moment) {
    guard running == nil else { return }
    running = trip
    heard = now
  }

  /// Forgets the fixes and places of which `isHidden` is true. The trip goes on: its start becomes the next place that is
  /// kept and good enough.
  mutating func forget(where isHidden: (LocationRecord) -> Bool) {
    ring.forget(where: isHidden)
    if let place = running?.startPlace, isHidden(place.location) { running?.startPlace = nil }
    if let place = running?.lastPlace, isHidden(place.location) { running?.lastPlace = nil }
  }

  static func instant(_ sample: Sample) -> Instant {
    sample.timestamp.map(Instant.utc) ?? .boot(sample.moment ?? .zero)
  }
}

extension FixRing.Held {
  /// As the record that it is.
  fileprivate var place: TripRecord.Place? {
    guard case .location(let location) = record.body else { return nil }
    return TripRecord.Place(location, time: record.time.map(Instant.utc) ?? .boot(record.moment))
  }

  fileprivate var isGoodStart: Bool { place?.isGoodStart ?? false }
}

extension TripRecord.Place {
  /// 200 m or better.
  fileprivate var isGoodStart: Bool { location.horizontalAccuracyMillimetres ?? 0 <= 200_000 }
}

extension RunningTrip {
  /// By the fixes' own times; where the clock was set back in between, or has none, by the boot clock. A trip of an earlier
  /// boot lasted until its end by the date, and until it was seen last where the end has none.
  func duration(to end: TripWatch.End) -> Duration {
    if let from = start.time, let to = end.sample?.timestamp, to >= from { return to - from }
    if let startMoment { return max((end.sample?.moment ?? end.moment) - startMoment, .zero) }
    guard let from = start.time, let to = end.instant.time ?? last?.timestamp else { return .zero }
    return max(to - from, .zero)
  }
}
