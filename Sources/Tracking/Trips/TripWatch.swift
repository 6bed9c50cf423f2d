import Quantities
import Records

/// Detects the start and end of trips.
///
/// Processes fixes, motion evidence and commands, and returns the outcomes. ``Tracker``, its owner, turns them into
/// records.
struct TripWatch: Equatable, Sendable {
  /// A change of the running trip.
  enum Outcome: Equatable, Sendable {
    /// The trip is in ``running``. `held` are fixes of its beginning that become records now.
    case began(held: [FixRing.Held])
    case ended(RunningTrip, end: End)
    /// The trip ended, but was too short to count.
    case wasNone(RunningTrip, end: End)
  }

  /// The end of a trip.
  struct End: Equatable, Sendable {
    /// The fix at which it ended; nil if a command ended it.
    var sample: Sample?
    /// The end on the boot clock; used if there is no fix.
    var moment: Moment
    /// The end in UTC, if its date is known.
    var instant: Instant
    var ending: TripRecord.Ending
  }

  var rules: TripRules
  private(set) var running: RunningTrip? { didSet { isRunning = running != nil } }
  /// True while a trip is running. It is stored, because ``running`` is too large to be copied for every fix.
  private(set) var isRunning = false
  private(set) var ring = FixRing()
  /// The position of the last stop.
  private var restPlace: Coordinate?
  /// The position of the last stop that was long enough to end a trip: the origin of the next one, regardless of
  /// shorter stops.
  private var origin: Coordinate?
  /// True after a trip ended by hand while moving. No trip starts automatically before the next stop.
  private var isHeldOff = false
  /// Arrival time of the last fix of the running trip, or start of the wait for a fix.
  private var heard = Moment.zero
  private var confirming = 0
  private var fastSince: Sample?

  /// Radius in metres within which a stationary device seems to move.
  static let drift = 25.0

  init(rules: TripRules) { self.rules = rules }

  /// True while a trip is running that a stop may end.
  private var isEndedByItself: Bool { running?.isManual == false }

  // MARK: Fixes

  /// Processes a fix that passed the filters. `rest` contains it already.
  mutating func take(
    _ sample: Sample, isStable: Bool, rest: RestWatch, evidence: SensedMotion, now: Moment
  ) -> [Outcome] {
    if isRunning { return follow(sample, rest: rest, evidence: evidence, now: now) }
    // On a ferry the movement is not the vehicle's own: the last stop before the engine starts counts, however short.
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

  /// Registers a stop. If it is long enough, the next trip begins there.
  mutating func rested(_ rest: RestWatch, _ evidence: SensedMotion, now: Moment) {
    guard running == nil else { return }
    isHeldOff = false
    fastSince = nil
    let isOrigin = origin == nil || rest.isResting(for: rules.endDelay, evidence, now: now)
    if isOrigin {
      confirming = 0
      // The position is known, and nothing has changed.
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

  /// Returns the fixes since a stop that ended with this fix, with or without a trip: they become records.
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
    // Motion evidence bridges a tunnel, but not an hour.
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

  /// The next deadline without another fix.
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

  /// Starts a trip by command; no effect while one is running.
  mutating func start(_ mode: TripMode, at instant: Instant, now: Moment) -> [Outcome] {
    guard running == nil else { return [] }
    ring.clear()
    var trip = RunningTrip(mode: mode, start: instant, isManual: true)
    trip.startMoment = now
    running = trip
    return [.began(held: [])]
  }

  mutating func setMode(_ mode: TripMode) { running?.mode = mode }

  /// Ends the trip by command, or with the automatic pause.
  mutating func stop(_ ending: TripRecord.Ending, at instant: Instant, now: Moment) -> [Outcome] {
    stop(at: End(sample: nil, moment: now, instant: instant, ending: ending))
  }

  /// Ends a trip that was ended by command while the program was not running: at its last known position.
  mutating func stopWhereSeenLast(at instant: Instant, now: Moment) -> [Outcome] {
    let last = running?.last.flatMap { $0.timestamp == nil ? nil : $0 }
    return stop(
      at: End(sample: last, moment: now, instant: last.map(Self.instant) ?? instant, ending: .asked))
  }

  private mutating func stop(at end: End) -> [Outcome] {
    guard var trip = running else { return [] }
    isHeldOff = end.ending == .asked
    running = nil
    // The next trip begins at the next stop.
    origin = nil
    ring.clear()
    if let last = trip.last { trip.odometer.close(at: last) }
    return [.ended(trip, end: end)]
  }

  // MARK: Records of the tracker

  /// Processes a record of the running trip. Returns true if it is the start of the trip.
  mutating func kept(_ place: TripRecord.Place) -> Bool {
    guard isRunning else { return false }
    let isFirst = running?.startPlace == nil && place.isGoodStart
    goOn(to: place)
    return isFirst
  }

  /// Sets the last position of the running trip, and the first if there is none of sufficient accuracy.
  private mutating func goOn(to place: TripRecord.Place) {
    running?.lastPlace = place
    if running?.startPlace == nil, place.isGoodStart { running?.startPlace = place }
  }

  /// Processes the last record of an earlier run. Returns true if it belongs to the running trip, which continued at
  /// least until then. The log provides it again until the state is saved with the next fix.
  mutating func recall(_ place: TripRecord.Place, _ sample: Sample) -> Bool {
    guard let trip = running, place.location.trip == trip.start else { return false }
    if let last = trip.last, OrderFilter.outcome(of: sample, after: last) != .newer { return false }
    running?.odometer.add(sample)
    running?.last = sample
    goOn(to: place)
    return true
  }

  /// Processes a fix outside trips; it is held if it was not recorded.
  mutating func hold(_ sample: Sample, record: LogRecord, isKept: Bool) {
    guard isHolding else { return }
    ring.add(sample, record: record, isKept: isKept, place: origin, drift: Self.drift)
  }

  /// True while a trip may begin automatically.
  var isHolding: Bool { rules.isAutomatic && !isRunning }

  /// Sets the step counter at the start of the trip; only the first call counts.
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

  /// Continues a trip of an earlier run; the timeout for a fix starts now.
  mutating func resume(_ trip: RunningTrip, now: Moment) {
    guard running == nil else { return }
    running = trip
    heard = now
  }

  /// Discards the fixes and positions of which `isHidden` is true. The trip continues; its start becomes the next
  /// recorded position of sufficient accuracy.
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
  /// The end of a trip at this fix.
  fileprivate var place: TripRecord.Place? {
    guard case .location(let location) = record.body else { return nil }
    return TripRecord.Place(location, time: record.time.map(Instant.utc) ?? .boot(record.moment))
  }

  fileprivate var isGoodStart: Bool { place?.isGoodStart ?? false }
}

extension TripRecord.Place {
  /// True for an accuracy of 200 m or better.
  fileprivate var isGoodStart: Bool { location.horizontalAccuracyMillimetres ?? 0 <= 200_000 }
}

extension RunningTrip {
  /// The duration by the fixes' own times. If the clock was set back in between, or the fixes have no date, by the boot
  /// clock. A trip of an earlier boot lasted until the date of its end, or until its last fix if the end has no date.
  func duration(to end: TripWatch.End) -> Duration {
    if let from = start.time, let to = end.sample?.timestamp, to >= from { return to - from }
    if let startMoment { return max((end.sample?.moment ?? end.moment) - startMoment, .zero) }
    guard let from = start.time, let to = end.instant.time ?? last?.timestamp else { return .zero }
    return max(to - from, .zero)
  }
}
