import Quantities
import Records

/// Detects the start and end of trips.
///
/// Processes fixes, motion evidence and commands, and returns the outcomes. ``Tracker``, its owner, turns them into
/// records.
public struct TripWatch: Equatable, Sendable {
  /// A change of the running trip.
  enum Outcome: Equatable, Sendable {
    /// The trip is in ``running``. `held` are fixes of its beginning that become records now.
    case began(buffered: [FixRing.BufferedFix])
    case ended(RunningTrip, end: End)
    /// The trip ended, but was too short to count.
    case wasNone(RunningTrip, end: End)
  }

  /// The end of a trip.
  struct End: Equatable, Sendable {
    /// The fix at which it ended; nil if a command ended it.
    var observation: Observation?
    /// The end on the boot clock; used if there is no fix.
    var moment: Moment
    /// The end in UTC, if its date is known.
    var instant: Instant
    var ending: TripRecord.Ending
  }

  var rules: TripRules
  public private(set) var running: RunningTrip? { didSet { isRunning = running != nil } }
  /// True while a trip is running. It is stored, because ``running`` is too large to be copied for every fix.
  private(set) var isRunning = false
  private(set) var ring = FixRing()
  /// The position of the last stop.
  private var stopPosition: Coordinate?
  /// The position of the last stop that was long enough to end a trip: the origin of the next one, regardless of
  /// shorter stops.
  private var origin: Coordinate?
  /// True after a trip ended by hand while moving. No trip starts automatically before the next stop.
  private var isAutomaticStartSuspended = false
  /// Arrival time of the last fix of the running trip, or start of the wait for a fix.
  private var lastFixAt = Moment.zero
  private var confirming = 0
  private var modeByMotion = ModeByMotion()
  private var fastSince: Observation?

  /// Radius in metres within which a stationary device seems to move.
  static let drift = 25.0

  init(rules: TripRules) { self.rules = rules }

  /// True while a trip is running that a stop may end.
  private var isEndedByItself: Bool { running?.isManual == false }

  // MARK: Fixes

  /// Processes a fix that passed the filters. `stop` contains it already.
  mutating func take(
    _ observation: Observation, isStable: Bool, stop: StopDetector, evidence: SensedMotion, now: Moment
  ) -> [Outcome] {
    if isRunning { return follow(observation, stop: stop, evidence: evidence, now: now) }
    // On a ferry the movement is not the vehicle's own: the last stop before the engine starts counts, however short.
    if evidence.ignition == false { origin = nil }
    if stop.isStationary(for: StopDetector.stopped, evidence, now: now) {
      registerStop(stop, evidence, now: now)
      return []
    }
    guard rules.isAutomatic, !isAutomaticStartSuspended, evidence.ignition != false, isStable,
      isConfirmed(by: observation)
    else {
      return []
    }
    return [begin(observation, now: now)]
  }

  /// Registers a stop. If it is long enough, the next trip begins there.
  mutating func registerStop(_ stop: StopDetector, _ evidence: SensedMotion, now: Moment) {
    guard running == nil else { return }
    isAutomaticStartSuspended = false
    fastSince = nil
    let isOrigin = origin == nil || stop.isStationary(for: rules.endDelay, evidence, now: now)
    if isOrigin {
      confirming = 0
      // The position is known, and nothing has changed.
      if !ring.stop(now: now), origin != nil, origin == stopPosition { return }
    }
    stopPosition = stop.presentDwell?.centre ?? stopPosition
    if isOrigin { origin = stopPosition }
  }

  private mutating func isConfirmed(by observation: Observation) -> Bool {
    let position =
      origin ?? stopPosition ?? ring.buffered.first?.observation.coordinate ?? observation.coordinate
    origin = position
    let away = observation.coordinate.distance(to: position) - observation.radius
    if away >= rules.startDistance {
      confirming += 1
    } else if observation.radius <= rules.startDistance {
      confirming = 0
    }
    if observation.speed ?? 0 >= max(rules.startSpeed, 3 * observation.speedRadius) {
      fastSince = fastSince ?? observation
    } else {
      fastSince = nil
    }
    if confirming >= 2 { return true }
    guard let fastSince, let lasted = observation.elapsed(since: fastSince) else { return false }
    return lasted >= rules.startDuration && away >= Self.drift
  }

  private mutating func begin(_ observation: Observation, now: Moment) -> Outcome {
    let index = ring.start(from: origin ?? observation.coordinate, drift: Self.drift, next: observation)
    let first = index.map { ring.buffered[$0].observation } ?? observation
    var trip = RunningTrip(mode: rules.mode, start: Self.instant(first), isManual: false)
    trip.startMoment = first.moment
    for buffered in index.map({ ring.buffered[$0...] }) ?? [] { trip.odometer.add(buffered.observation) }
    trip.odometer.add(observation)
    trip.last = observation
    let kept = index.flatMap { index in
      ring.buffered[index...].first { $0.state == .kept && $0.isGoodStart }?.position
    }
    let buffered = index.map { ring.write(from: $0) } ?? []
    trip.startLocation = kept
    running = trip
    lastFixAt = now
    ring.clear()
    confirming = 0
    fastSince = nil
    return .began(buffered: buffered)
  }

  /// Returns the fixes since a stop that ended with this fix, with or without a trip: they become records.
  mutating func departureFixes(by observation: Observation) -> [FixRing.BufferedFix] {
    guard running == nil, let position = stopPosition ?? ring.buffered.first?.observation.coordinate,
      let index = ring.start(from: position, drift: Self.drift, next: observation)
    else { return [] }
    return ring.write(from: index)
  }

  private mutating func follow(
    _ observation: Observation, stop: StopDetector, evidence: SensedMotion, now: Moment
  ) -> [Outcome] {
    lastFixAt = now
    let last = running?.last
    let pause = last.flatMap { observation.elapsed(since: $0) } ?? .zero
    // Motion evidence bridges a tunnel, but not an hour.
    if isEndedByItself, pause >= (evidence.isMoving ? rules.gapLimit : rules.fixTimeout) {
      return end(at: last, moment: now - pause, .noFix)
        + take(observation, isStable: false, stop: stop, evidence: evidence, now: now)
    }
    let isStationary =
      stop.isStationary(for: StopDetector.stopped, evidence, now: now) && !Odometer.isMoving(observation)
    if !isStationary { running?.odometer.add(observation) }
    running?.last = observation
    return endIfStationary(stop, evidence, now: now)
  }

  // MARK: The end

  /// The next deadline without another fix.
  func nextTimeout(_ stop: StopDetector, _ evidence: SensedMotion) -> Moment? {
    guard isEndedByItself else { return nil }
    let silence = lastFixAt + (evidence.isMoving ? rules.gapLimit : rules.fixTimeout)
    let stopDeadline = stop.deadline(for: delay(evidence), evidence)
    guard let stopDeadline else { return silence }
    return min(
      silence, max(stopDeadline, evidence.ignitionOffSince.map { $0 + rules.ignitionDelay } ?? stopDeadline))
  }

  mutating func handleTimeout(_ stop: StopDetector, _ evidence: SensedMotion, now: Moment) -> [Outcome] {
    let outcomes = endIfStationary(stop, evidence, now: now)
    guard outcomes.isEmpty, isEndedByItself,
      now >= lastFixAt + (evidence.isMoving ? rules.gapLimit : rules.fixTimeout)
    else { return outcomes }
    return end(at: running?.last, moment: lastFixAt, .noFix)
  }

  private func delay(_ evidence: SensedMotion) -> Duration {
    evidence.ignition == false ? min(rules.ignitionDelay, rules.endDelay) : rules.endDelay
  }

  private mutating func endIfStationary(_ stop: StopDetector, _ evidence: SensedMotion, now: Moment)
    -> [Outcome]
  {
    guard isEndedByItself else { return [] }
    if stop.isStationary(for: rules.endDelay, evidence, now: now), let presentDwell = stop.presentDwell {
      return end(
        at: presentDwell.first, stopAt: presentDwell.centre, moment: presentDwell.first.moment ?? now, .stop)
    }
    guard let off = evidence.ignitionOffSince, now >= off + rules.ignitionDelay,
      stop.isStationary(for: StopDetector.stopped, evidence, now: now), let presentDwell = stop.presentDwell
    else { return [] }
    return end(
      at: presentDwell.first, stopAt: presentDwell.centre, moment: presentDwell.first.moment ?? now, .ignition
    )
  }

  private mutating func end(
    at observation: Observation?, stopAt position: Coordinate? = nil, moment: Moment,
    _ ending: TripRecord.Ending
  ) -> [Outcome] {
    guard var trip = running else { return [] }
    running = nil
    ring.clear()
    stopPosition = position ?? observation?.coordinate ?? stopPosition
    origin = stopPosition
    if let observation, ending != .noFix { trip.odometer.close(at: observation) }
    let end = End(
      observation: observation, moment: moment, instant: observation.map(Self.instant) ?? .boot(moment),
      ending: ending)
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
    return [.began(buffered: [])]
  }

  mutating func setMode(_ mode: TripMode) {
    running?.mode = mode
    modeByMotion.choose()
  }

  /// Processes the motion at a fix. An automatic trip without a configured mode has that of its motion.
  mutating func follow(_ motion: MotionStates) {
    guard isRunning else {
      modeByMotion = ModeByMotion()
      return
    }
    guard rules.followsMotion, isEndedByItself, let mode = modeByMotion.take(motion), mode != running?.mode
    else { return }
    running?.mode = mode
  }

  /// Ends the trip by command, or with the automatic pause.
  mutating func stop(_ ending: TripRecord.Ending, at instant: Instant, now: Moment) -> [Outcome] {
    stop(at: End(observation: nil, moment: now, instant: instant, ending: ending))
  }

  /// Ends a trip that was ended by command while the program was not running: at its last known position.
  mutating func stopWhereSeenLast(at instant: Instant, now: Moment) -> [Outcome] {
    let last = running?.last.flatMap { $0.timestamp == nil ? nil : $0 }
    return stop(
      at: End(observation: last, moment: now, instant: last.map(Self.instant) ?? instant, ending: .asked))
  }

  private mutating func stop(at end: End) -> [Outcome] {
    guard var trip = running else { return [] }
    isAutomaticStartSuspended = end.ending == .asked
    running = nil
    // The next trip begins at the next stop.
    origin = nil
    ring.clear()
    if let last = trip.last { trip.odometer.close(at: last) }
    return [.ended(trip, end: end)]
  }

  // MARK: Records of the tracker

  /// Processes a record of the running trip. Returns true if it is the start of the trip.
  mutating func kept(_ position: TripRecord.Location) -> Bool {
    guard isRunning else { return false }
    let isFirst = running?.startLocation == nil && position.isGoodStart
    extendTrip(to: position)
    return isFirst
  }

  /// Sets the last position of the running trip, and the first if there is none of sufficient accuracy.
  private mutating func extendTrip(to position: TripRecord.Location) {
    running?.lastLocation = position
    if running?.startLocation == nil, position.isGoodStart { running?.startLocation = position }
  }

  /// Processes the last record of an earlier run. Returns true if it belongs to the running trip, which continued at
  /// least until then. The log provides it again until the state is saved with the next fix.
  mutating func recall(_ position: TripRecord.Location, _ observation: Observation) -> Bool {
    guard let trip = running, position.location.trip == trip.start else { return false }
    if let last = trip.last, OrderFilter.outcome(of: observation, after: last) != .newer { return false }
    running?.odometer.add(observation)
    running?.last = observation
    extendTrip(to: position)
    return true
  }

  /// Processes a fix outside trips; it is held if it was not recorded.
  mutating func buffer(_ observation: Observation, record: LogRecord, isKept: Bool) {
    guard isBuffering else { return }
    ring.add(observation, record: record, isKept: isKept, position: origin, drift: Self.drift)
  }

  /// True while a trip may begin automatically.
  var isBuffering: Bool { rules.isAutomatic && !isRunning }

  /// Sets the step counter at the start of the trip; only the first call counts.
  mutating func setStepBase(_ steps: Int32) {
    if running?.stepsBefore == nil { running?.stepsBefore = steps }
  }

  mutating func date(offsetMilliseconds offset: Int64, quality: ClockQuality) {
    ring.date(offsetMilliseconds: offset, quality: quality)
    guard let trip = running else { return }
    running?.start = trip.start.dated(offsetMilliseconds: offset)
    running?.startLocation = trip.startLocation?.dated(offsetMilliseconds: offset)
    running?.lastLocation = trip.lastLocation?.dated(offsetMilliseconds: offset)
  }

  /// Continues a trip of an earlier run; the timeout for a fix starts now.
  mutating func resume(_ trip: RunningTrip, now: Moment) {
    guard running == nil else { return }
    running = trip
    lastFixAt = now
  }

  /// Discards the fixes and positions of which `isHidden` is true. The trip continues; its start becomes the next
  /// recorded position of sufficient accuracy.
  mutating func forget(where isHidden: (LocationRecord) -> Bool) {
    ring.forget(where: isHidden)
    if let position = running?.startLocation, isHidden(position.location) { running?.startLocation = nil }
    if let position = running?.lastLocation, isHidden(position.location) { running?.lastLocation = nil }
  }

  static func instant(_ observation: Observation) -> Instant {
    observation.timestamp.map(Instant.utc) ?? .boot(observation.moment ?? .zero)
  }
}

extension FixRing.BufferedFix {
  /// The end of a trip at this fix.
  fileprivate var position: TripRecord.Location? {
    guard case .location(let location) = record.body else { return nil }
    return TripRecord.Location(location, time: record.time.map(Instant.utc) ?? .boot(record.moment))
  }

  fileprivate var isGoodStart: Bool { position?.isGoodStart ?? false }
}

extension TripRecord.Location {
  /// True for an accuracy of 200 m or better.
  fileprivate var isGoodStart: Bool {
    HorizontalAccuracy.effective(millimetres: location.horizontalAccuracyMillimetres) <= 200
  }
}

extension RunningTrip {
  /// The duration by the fixes' own times. If the clock was set back in between, or the fixes have no date, by the boot
  /// clock. A trip of an earlier boot lasted until the date of its end, or until its last fix if the end has no date.
  func duration(to end: TripWatch.End) -> Duration {
    if let from = start.time, let to = end.observation?.timestamp, to >= from { return to - from }
    if let startMoment { return max((end.observation?.moment ?? end.moment) - startMoment, .zero) }
    guard let from = start.time, let to = end.instant.time ?? last?.timestamp else { return .zero }
    return max(to - from, .zero)
  }
}
