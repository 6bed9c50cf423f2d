import Quantities
import Records

/// Follows the places and movements of the device: stops, trips, visits, zones, the parking position, and trips of which
/// only the two ends are known.
///
/// Takes fixes that passed the filters, deadlines and commands. Returns outcomes in the order in which ``Tracker``, its
/// owner, makes records of them.
public struct PlaceTracker: Sendable {
  enum Outcome {
    case event(EventRecord)
    /// A visit; `departure` is nil while it lasts.
    case visit(VisitWatch.Visit, departure: Instant?)
    case trip(RunningTrip, end: TripWatch.End)
    /// Fixes that were held back. They are recorded, unless a newer one is recorded already.
    case heldFixes([FixRing.BufferedFix])
    /// A trip began or ended: another tracking policy may apply.
    case tripChanged
  }

  /// What the decisions depend on, besides the fix.
  struct Circumstances {
    var settings: TrackerSettings
    var evidence: SensedMotion
    var privacy: Privacy
    /// UTC minus boot clock in ms that dates records, and its quality; nil while the date is unknown.
    var dating: (offset: Int64, quality: ClockQuality)?
    /// Steps counted since the start of the program.
    var steps: Int32?
    var now: Moment
  }

  private(set) var stop: PresentStop
  /// The running trip, and what starts and ends one.
  public private(set) var trips: TripWatch
  private var visits: VisitWatch?
  private(set) var zones: [ZoneWatch]
  private(set) var parking: ParkingZone?
  private var reconstruction = TripReconstruction()
  private var stability = Stability()
  /// The total distance travelled.
  public private(set) var lifetime = Odometer()
  /// The last fix that passed the filters.
  private(set) var last: Observation?
  /// The last location of an earlier run, until a dated fix follows it.
  private var recalled: Observation?
  /// True if the state that survives a restart has changed since ``saved(_:)``.
  private(set) var isUnsaved = false

  init(_ settings: TrackerSettings) {
    stop = PresentStop(settings)
    trips = TripWatch(rules: settings.trips)
    visits = settings.visits.map { VisitWatch(rules: $0) }
    zones = settings.zones.map { ZoneWatch($0) }
    parking = settings.parking.map { ParkingZone(rules: $0) }
  }

  /// Applies other settings; the present state remains valid.
  mutating func apply(_ settings: TrackerSettings) {
    stop.apply(settings)
    // The new mode also applies to the running trip.
    if trips.rules.mode != settings.trips.mode, trips.isRunning { setMode(settings.trips.mode) }
    trips.rules = settings.trips
    if let rules = settings.visits {
      if visits == nil { visits = VisitWatch(rules: rules) } else { visits?.rules = rules }
    } else {
      visits = nil
    }
    let known = zones
    zones = settings.zones.map { zone in
      guard var watch = known.first(where: { $0.zone.name == zone.name }) else { return ZoneWatch(zone) }
      watch.redraw(zone)
      return watch
    }
    if let rules = settings.parking {
      if parking == nil { parking = ParkingZone(rules: rules) } else { parking?.rules = rules }
    } else {
      parking = nil
    }
    if !settings.reconstructsTrips { reconstruction = TripReconstruction() }
  }

  // MARK: Fixes

  /// Processes a fix that passed the filters. `isTransition` requests a record of it. Nil for a repeated or late fix, which
  /// contains nothing new.
  mutating func take(
    _ observation: Observation, _ circumstances: Circumstances
  ) -> (outcomes: [Outcome], isTransition: Bool)? {
    if let last, OrderFilter.outcome(of: observation, after: last) == .notNewer { return nil }
    let (settings, evidence, now) = (circumstances.settings, circumstances.evidence, circumstances.now)
    let isStable = stability.isStable(observation)
    var outcomes = gap(before: observation, circumstances)
    registerStop(evidence, now: now)
    stop.add(observation, now: now)
    last = observation
    if isStable, stop.isStopped != true || Odometer.isMoving(observation) {
      lifetime.add(observation, notAfter: settings.trips.gapLimit)
    }
    let changes = trips.take(
      observation, isStable: isStable, stop: stop.detector, evidence: evidence, now: now)
    outcomes += report(changes, circumstances)
    var isTransition = !changes.isEmpty
    let arrivals =
      visits?.take(
        observation, isStable: isStable, stop: stop.detector, evidence: evidence, now: now) ?? []
    outcomes += report(arrivals)
    for index in zones.indices {
      let crossings = zones[index].take(observation, isStable: isStable, now: now)
      outcomes += report(crossings, of: zones[index], circumstances.privacy)
    }
    let parked = parking?.position
    let alarms =
      parking?.take(
        observation, isStable: isStable && !circumstances.privacy.isHidden, stop: stop.detector,
        evidence: evidence, now: now) ?? []
    outcomes += report(alarms, from: parked, circumstances)
    if stop.update(evidence, now: now) {
      isTransition = true
      if stop.isStopped == false, settings.keepsLocations {
        let held = trips.departureFixes(by: observation)
        if !held.isEmpty { outcomes.append(.heldFixes(held)) }
      }
    }
    return (outcomes, isTransition)
  }

  /// Processes a fix only for the position of the stop, which records show; creates no outcome.
  mutating func follow(_ observation: Observation, _ evidence: SensedMotion, now: Moment) {
    stop.add(observation, now: now)
    _ = stop.update(evidence, now: now)
  }

  /// Discards the state of the stop when nothing uses it any more: it is not valid after the interruption.
  mutating func forgetStop(_ settings: TrackerSettings) {
    if last != nil {
      stop.reset(settings)
      last = nil
    }
    recalled = nil
  }

  /// Registers a stop in which the receiver slept before the fix, or the motion, that ends it is processed.
  mutating func registerStop(_ evidence: SensedMotion, now: Moment) {
    guard stop.detector.isStationary(for: StopDetector.stopped, evidence, now: now) else { return }
    trips.registerStop(stop.detector, evidence, now: now)
  }

  /// Notes whether the receiver sleeps because the device is stationary: then no fix shows that the stop continues.
  mutating func receiverSleeps(_ isUnseen: Bool) {
    stop.setUnseen(isUnseen)
    if isUnseen { reconstruction.pause() }
  }

  /// Processes a fix outside trips; it is held if it was not recorded.
  mutating func buffer(_ observation: Observation, record: LogRecord, isKept: Bool) {
    trips.buffer(observation, record: record, isKept: isKept)
  }

  /// Processes a record of the running trip.
  mutating func kept(_ record: LogRecord) {
    guard trips.isRunning, case .location(let location) = record.body else { return }
    let time = record.time.map(Instant.utc) ?? .boot(record.moment)
    if trips.kept(TripRecord.Location(location, time: time)) { isUnsaved = true }
  }

  // MARK: Deadlines

  /// True if something can become due; false before any fix was taken.
  var isWatching: Bool { last != nil || trips.isRunning || !zones.isEmpty || parking?.position != nil }

  func nextTimeout(_ evidence: SensedMotion, _ privacy: Privacy) -> Moment? {
    var due = trips.nextTimeout(stop.detector, evidence)
    due = Moment.earliest(due, visits?.nextTimeout(stop.detector, evidence))
    if !suppressesParkingAlarm(privacy) {
      due = Moment.earliest(due, parking?.nextTimeout(stop.detector, evidence))
    }
    due = Moment.earliest(due, stop.nextTimeout(evidence))
    for zone in zones { due = Moment.earliest(due, zone.nextTimeout) }
    return due
  }

  /// What the deadlines that have passed cause.
  struct Lapse {
    /// The findings of trips and visits, which are recorded before those of Wi-Fi zones.
    var travel: [Outcome]
    /// The findings of zones and parking.
    var zones: [Outcome]
    /// True if the device has stopped or started moving.
    var isStopNew: Bool
  }

  /// Acts on the deadlines that have passed.
  mutating func handleTimeout(_ circumstances: Circumstances) -> Lapse {
    let (evidence, now) = (circumstances.evidence, circumstances.now)
    var travel = report(trips.handleTimeout(stop.detector, evidence, now: now), circumstances)
    travel += report(visits?.handleTimeout(stop.detector, evidence, now: now) ?? [])
    var outcomes: [Outcome] = []
    for index in zones.indices {
      let crossings = zones[index].handleTimeout(now: now)
      outcomes += report(crossings, of: zones[index], circumstances.privacy)
    }
    if !suppressesParkingAlarm(circumstances.privacy) {
      let alarms = parking?.handleTimeout(stop.detector, evidence, now: now) ?? []
      outcomes += report(alarms, from: nil, circumstances)
    }
    return Lapse(travel: travel, zones: outcomes, isStopNew: stop.update(evidence, now: now))
  }

  /// True if a move from a parking position in a privacy zone must not be reported. The circle remains until a fix
  /// outside.
  private func suppressesParkingAlarm(_ privacy: Privacy) -> Bool {
    privacy.isHidden && parking?.position != nil
  }

  // MARK: Trips by command

  /// Carries out a command of a person or a server. Nil if it is ignored.
  mutating func handle(_ command: TripCommand, at instant: Instant, _ circumstances: Circumstances)
    -> [Outcome]?
  {
    switch command {
    case .start(let mode):
      guard circumstances.settings.isTracking else { return nil }
      return report(trips.start(mode, at: instant, now: circumstances.now), circumstances)
    case .stop: return endTrip(.asked, at: instant, circumstances)
    case .mode(let mode):
      guard trips.isRunning else { return nil }
      setMode(mode)
      return []
    }
  }

  /// Ends the running trip.
  mutating func endTrip(
    _ ending: TripRecord.Ending, at instant: Instant, _ circumstances: Circumstances
  ) -> [Outcome] {
    report(trips.stop(ending, at: instant, now: circumstances.now), circumstances)
  }

  /// Ends a trip of an earlier run at its last fix.
  mutating func endTripWhereSeenLast(at instant: Instant, _ circumstances: Circumstances) -> [Outcome] {
    report(trips.stopWhereSeenLast(at: instant, now: circumstances.now), circumstances)
  }

  /// Processes the motion at a fix, which is the mode of an automatic trip.
  mutating func follow(_ motion: MotionStates) { trips.follow(motion) }

  private mutating func setMode(_ mode: TripMode) {
    trips.setMode(mode)
    isUnsaved = true
  }

  /// The step counter was set to zero.
  mutating func stepsBegan() { trips.setStepBase(0) }

  // MARK: Outcomes

  private mutating func report(_ changes: [TripWatch.Outcome], _ circumstances: Circumstances) -> [Outcome] {
    guard !changes.isEmpty else { return [] }
    isUnsaved = true
    var outcomes: [Outcome] = []
    for change in changes {
      switch change {
      case .began(let buffered): outcomes += begin(buffered, circumstances)
      case .ended(let trip, let end):
        let end = dated(end, circumstances)
        reconstruction.drop()
        outcomes.append(.trip(trip, end: end))
        outcomes.append(.event(.ended(trip, end, isTrip: true)))
      case .wasNone(let trip, let end):
        outcomes.append(.event(.ended(trip, dated(end, circumstances), isTrip: false)))
      }
    }
    return outcomes + [.tripChanged]
  }

  private mutating func begin(_ buffered: [FixRing.BufferedFix], _ circumstances: Circumstances) -> [Outcome]
  {
    if let (offset, quality) = circumstances.dating {
      trips.date(offsetMilliseconds: offset, quality: quality)
    }
    if let steps = circumstances.steps { trips.setStepBase(steps) }
    guard let trip = trips.running else { return [] }
    let age = trip.startMoment.map { max(circumstances.now - $0, .zero) } ?? .zero
    let event = EventRecord(
      .tripStarted,
      [.isManual: .flag(trip.isManual), .count: .integer(Int64(buffered.count)), .age: .seconds(age)])
    return [.event(event), .heldFixes(buffered)]
  }

  private func dated(_ end: TripWatch.End, _ circumstances: Circumstances) -> TripWatch.End {
    guard let offset = circumstances.dating?.offset else { return end }
    var end = end
    end.instant = end.instant.dated(offsetMilliseconds: offset)
    return end
  }

  private mutating func report(_ changes: [VisitWatch.Outcome]) -> [Outcome] {
    changes.map { change in
      isUnsaved = true
      return switch change {
      case .arrived(let visit): .visit(visit, departure: nil)
      case .left(let visit, let departure): .visit(visit, departure: departure)
      }
    }
  }

  private mutating func report(
    _ crossings: [ZoneWatch.Outcome], of watch: ZoneWatch, _ privacy: Privacy
  ) -> [Outcome] {
    guard !crossings.isEmpty else { return [] }
    isUnsaved = true
    let zone = watch.zone
    guard !zone.isPrivate, !privacy.hides(watch) else { return [] }
    let position = last.flatMap { privacy.hides($0) ? nil : EventFields(position: $0) } ?? [:]
    return crossings.map { crossing in
      switch crossing {
      case .entered(let isInferred): .event(.crossed(.zoneEntered, zone, isInferred, position))
      case .left(let isInferred): .event(.crossed(.zoneLeft, zone, isInferred, position))
      case .dwelt:
        .event(
          EventRecord(
            .zoneDwelt, [.zone: .text(zone.name), .duration: zone.dwell.map { .seconds($0) }]))
      }
    }
  }

  private mutating func report(
    _ alarms: [ParkingZone.Outcome], from parked: Coordinate?, _ circumstances: Circumstances
  ) -> [Outcome] {
    alarms.compactMap { alarm in
      isUnsaved = true
      switch alarm {
      case .armed: return nil
      case .moved(_?) where parked.map { circumstances.privacy.hides(stop: $0) } ?? false:
        return .event(EventRecord(.parkingMoved, [.cause: "left"]))
      case .moved(let distance?):
        return .event(EventRecord(.parkingMoved, [.distance: .integer(Int64(distance))]))
      case .moved(nil):
        stop.forgetFixes(circumstances.settings)
        return .event(EventRecord(.parkingMoved, [.cause: "no_fix"]))
      }
    }
  }

  private mutating func gap(before observation: Observation, _ circumstances: Circumstances) -> [Outcome] {
    if let recalled, observation.timestamp != nil {
      self.recalled = nil
      // If only trips by hand are recorded, nothing is missing before them.
      let settings = circumstances.settings
      let isMissed =
        settings.keepsLocations || settings.trips.isAutomatic
        || trips.running.map { $0.startMoment == nil } ?? false
      if isMissed { return gap(from: recalled, to: observation, without: "location", circumstances) }
    }
    guard let last else { return [] }
    return gap(from: last, to: observation, without: "fix", circumstances)
  }

  private func gap(
    from last: Observation, to observation: Observation, without missing: EventValue,
    _ circumstances: Circumstances
  ) -> [Outcome] {
    let rules = circumstances.settings.trips
    guard let pause = observation.elapsed(since: last), pause >= rules.gapLimit else { return [] }
    let distance = observation.distance(to: last)
    guard distance > max(rules.startDistance, 3 * observation.uncertainty(with: last)) else { return [] }
    let isHidden = circumstances.privacy.isHidden || circumstances.privacy.hides(last)
    let event = EventRecord(
      .gap,
      [
        .duration: .seconds(pause), .missing: missing,
        .distance: isHidden ? nil : .integer(Int64(distance)),
      ])
    return [.event(event)]
  }

  // MARK: Reconstructed trips

  /// True if the device was found elsewhere, and the end of the trip is not known yet.
  var isReconstructing: Bool { reconstruction.isPending }

  /// Processes a fix with its record, after ``take(_:_:)``. `isCovered` is true if a record contains the movement already;
  /// `motionBegan` is the start of motion by a sensor.
  mutating func reconstruct(
    _ position: TripReconstruction.Position, isCovered: Bool, motionBegan: Moment?, reach: Double
  ) {
    reconstruction.take(position, isCovered: isCovered, motionBegan: motionBegan, reach: reach)
  }

  /// Discards what is known about a movement without fixes: others know it better, or it must not be known.
  mutating func stopReconstructing() { reconstruction = TripReconstruction() }

  /// The trip of which only the ends are known, once the device is stationary and no ordinary trip can still record the
  /// movement.
  mutating func reconstructedTrip(
    isAsleepWhileStationary: Bool, _ evidence: SensedMotion, now: Moment
  ) -> TripReconstruction.Found? {
    guard !trips.isRunning,
      isAsleepWhileStationary || stop.detector.isStationary(for: StopDetector.stopped, evidence, now: now)
    else { return nil }
    return reconstruction.end()
  }

  // MARK: State

  /// Dates what was found before the date was known.
  mutating func date(offsetMilliseconds offset: Int64, quality: ClockQuality) {
    trips.date(offsetMilliseconds: offset, quality: quality)
    visits?.date(offsetMilliseconds: offset)
  }

  /// Discards positions in a privacy zone.
  mutating func forget(where isHidden: (LocationRecord) -> Bool) {
    trips.forget(where: isHidden)
    reconstruction.forget(where: isHidden)
  }

  /// The state to save, which then counts as saved. `steps` is the present value of the step counter, which begins at zero
  /// after a restart.
  mutating func saved(_ circumstances: Circumstances) -> TrackerState {
    isUnsaved = false
    let privacy = circumstances.privacy
    var state = TrackerState()
    state.lifetimeMillimetres = lifetime.millimetres
    state.trip = trips.running
    if let base = trips.running?.stepsBefore, let steps = circumstances.steps {
      state.trip?.stepsBefore = base &- steps
    }
    state.visit = visits?.present.flatMap { privacy.hides($0.centre, accuracy: $0.accuracy) ? nil : $0 }
    state.parking = parking?.position.flatMap { privacy.hides(stop: $0) ? nil : $0 }
    for zone in zones { state.zones[zone.zone.name] = zone.side }
    // The position of an automatic pause is meaningless after a restart while the date is unknown.
    if circumstances.settings.reconstructsTrips, let paused = reconstruction.pausedPosition {
      let instant = TripWatch.instant(paused.observation)
      state.paused = TripRecord.Location(
        paused.location,
        time: circumstances.dating.map { instant.dated(offsetMilliseconds: $0.offset) } ?? instant)
    }
    return state
  }

  /// Continues the state of an earlier run.
  mutating func resume(_ state: TrackerState, _ circumstances: Circumstances) {
    lifetime = Odometer(
      millimetres: state.lifetimeMillimetres &+ lifetime.millimetres, reference: lifetime.reference)
    if let trip = state.trip { trips.resume(trip, now: circumstances.now) }
    if let visit = state.visit { visits?.resume(visit) }
    if let position = state.parking, let rules = parking?.rules, parking?.position == nil {
      parking = ParkingZone(rules: rules, position: position)
    }
    for index in zones.indices where zones[index].side == nil {
      guard let side = state.zones[zones[index].zone.name] else { continue }
      zones[index] = ZoneWatch(zones[index].zone, side: side)
    }
    if let paused = state.paused { resumePause(at: paused, circumstances) }
  }

  private mutating func resumePause(at position: TripRecord.Location, _ circumstances: Circumstances) {
    guard circumstances.settings.reconstructsTrips, position.time.time != nil,
      !circumstances.privacy.hides(position.location)
    else { return }
    reconstruction.resume(
      TripReconstruction.Position(observation: Observation(position), location: position.location))
  }

  /// Processes the last record of an earlier run, if no fix has been taken since. It is newer than the saved state: the
  /// trip continued until there, and the device may have stopped since.
  mutating func recall(_ position: TripRecord.Location) {
    guard position.time.time != nil, last == nil else { return }
    let observation = Observation(position)
    recalled = observation
    stop.recall(observation)
    let before = trips.running?.distanceMillimetres ?? 0
    guard trips.recall(position, observation) else { return }
    let recalled = (trips.running?.distanceMillimetres ?? 0) &- before
    lifetime = Odometer(millimetres: lifetime.millimetres &+ recalled, reference: observation)
  }

  /// Discards the pause of an earlier run if the log has a newer location.
  mutating func reconcile(lastRecord: Timestamp?) { reconstruction.reconcile(lastRecord: lastRecord) }
}

extension Observation {
  /// A position of an earlier run.
  fileprivate init(_ position: TripRecord.Location) {
    self.init(timestamp: position.time.time, moment: nil, coordinate: position.location.coordinate)
    accuracy = HorizontalAccuracy.known(
      position.location.horizontalAccuracyMillimetres.map { Double($0) / 1000 })
  }
}

extension EventRecord {
  fileprivate static func crossed(
    _ kind: EventKind, _ zone: Zone, _ isInferred: Bool, _ position: EventFields
  ) -> EventRecord {
    let fields: EventFields = [.zone: .text(zone.name), .isInferred: isInferred ? true : nil]
    return EventRecord(kind, fields.merging(position))
  }

  fileprivate static func ended(_ trip: RunningTrip, _ end: TripWatch.End, isTrip: Bool) -> EventRecord {
    EventRecord(
      .tripEnded,
      [
        .cause: .text(end.ending.field), .distance: .integer(trip.distanceMillimetres / 1000),
        .duration: .seconds(trip.duration(to: end)), .isTrip: .flag(isTrip),
      ])
  }
}

extension TripRecord.Ending {
  /// The word for the ending in the fields of an event.
  fileprivate var field: String {
    switch self {
    case .asked: "asked"
    case .stop: "rest"
    case .ignition: "ignition"
    case .noFix: "no_fix"
    case .pause: "pause"
    }
  }
}
