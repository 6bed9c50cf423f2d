import Quantities
import Records
import Scheduling

/// Turns the results of trips, visits, zones and parking into records.
extension Tracker {
  /// Passes a fix that passed the filters to all trackers. `isTransition` requests a record of it.
  mutating func watch(_ observation: Observation, now: Moment) -> (
    actions: [TrackerAction], isTransition: Bool
  ) {
    var actions: [TrackerAction] = []
    // A repeated or late fix contains nothing new.
    if let last = positions.last, OrderFilter.outcome(of: observation, after: last) == .notNewer {
      return ([], false)
    }
    let isStable = stability.isStable(observation)
    actions += gap(before: observation, now: now)
    registerStop(now: now)
    positions.stop.add(observation, now: now)
    positions.last = observation
    if isStable, positions.isStopped != true || Odometer.isMoving(observation) {
      positions.lifetime.add(observation, notAfter: settings.trips.gapLimit)
    }
    var isTransition = false
    let trips = positions.trips.take(
      observation, isStable: isStable, stop: positions.stop, evidence: evidence, now: now)
    actions += act(on: trips, now: now)
    if !trips.isEmpty { isTransition = true }
    let visits =
      positions.visits?.take(
        observation, isStable: isStable, stop: positions.stop, evidence: evidence, now: now) ?? []
    actions += act(on: visits, now: now)
    for index in positions.zones.indices {
      actions += act(
        on: positions.zones[index].take(observation, isStable: isStable, now: now), zone: index, now: now)
    }
    let parked = positions.parking?.position
    let parking =
      positions.parking?.take(
        observation, isStable: isStable && !positions.isHidden, stop: positions.stop, evidence: evidence,
        now: now) ?? []
    actions += act(on: parking, from: parked, now: now)
    if updateStop(now: now) {
      isTransition = true
      if positions.isStopped == false, settings.keepsLocations {
        actions += write(positions.trips.departureFixes(by: observation), now: now)
      }
    }
    updateProfile()
    if active.takeNews() { isTransition = true }
    actions += save(now: now)
    return (actions, isTransition)
  }

  /// Updates only the position of the stop, for records that show it; creates no record.
  mutating func updateStopPosition(_ observation: Observation, now: Moment) {
    positions.stop.add(observation, now: now)
    _ = updateStop(now: now)
  }

  mutating func positionTimeout(now: Moment) -> [TrackerAction] {
    var actions = act(on: positions.trips.handleTimeout(positions.stop, evidence, now: now), now: now)
    actions += act(on: positions.visits?.handleTimeout(positions.stop, evidence, now: now) ?? [], now: now)
    actions += act(on: positions.wifi.handleTimeout(now: now), now: now)
    for index in positions.zones.indices {
      actions += act(on: positions.zones[index].handleTimeout(now: now), zone: index, now: now)
    }
    if !positions.suppressesParkingAlarm {
      let parking = positions.parking?.handleTimeout(positions.stop, evidence, now: now) ?? []
      actions += act(on: parking, from: nil, now: now)
    }
    let wasProfileNew = active.isNew
    let isStopNew = updateStop(now: now)
    updateProfile()
    // A stop that becomes known while the receiver sleeps ended with the last record; the next position check is not
    // recorded for it.
    if isStopNew, schedule?.isAsleepWhileStationary == true { active.ignoreNews(after: wasProfileNew) }
    return actions + save(now: now)
  }

  /// Registers a stop in which the receiver slept before processing the fix, or the motion, that ends it.
  mutating func registerStop(now: Moment) {
    guard positions.stop.isStationary(for: StopDetector.stopped, evidence, now: now) else { return }
    positions.trips.registerStop(positions.stop, evidence, now: now)
  }

  /// True if the device has stopped or started moving.
  private mutating func updateStop(now: Moment) -> Bool {
    let isStopped =
      positions.isStopped == true
      ? positions.stop.remainsStationary(for: StopDetector.stopped, evidence, now: now)
      : positions.stop.isStationary(for: StopDetector.stopped, evidence, now: now)
    defer { positions.isStopped = isStopped }
    guard isStopped != positions.isStopped else { return false }
    positions.stopPosition = isStopped ? positions.stop.presentDwell?.centre : nil
    return positions.isStopped != nil || isStopped
  }

  /// Selects the profile in effect.
  mutating func updateProfile() {
    guard !settings.profiles.isEmpty else {
      return active.reset(settings)
    }
    var conditions: Set<ProfileCondition> = [.always, positions.isStopped == true ? .stop : .moving]
    if power.level != .normal { conditions.insert(.lowBattery) }
    if positions.zones.contains(where: { $0.zone.hasProfile && $0.side == .inside }) {
      conditions.insert(.inZone)
    }
    let supplied = facts.battery(settings).state
    if supplied == .charging || supplied == .full { conditions.insert(.charging) }
    if positions.trips.isRunning { conditions.insert(.trip) }
    active.select(conditions, settings)
  }

  private mutating func gap(before observation: Observation, now: Moment) -> [TrackerAction] {
    if let recalled = positions.recalled, observation.timestamp != nil {
      positions.recalled = nil
      // If only trips by hand are recorded, nothing is missing before them.
      let isMissed =
        settings.keepsLocations || settings.trips.isAutomatic
        || positions.trips.running.map { $0.startMoment == nil } ?? false
      if isMissed { return gap(from: recalled, to: observation, without: "location", now: now) }
    }
    guard let last = positions.last else { return [] }
    return gap(from: last, to: observation, without: "fix", now: now)
  }

  // Mutating like its callers: see ``record(of:reasons:)``.
  private mutating func gap(
    from last: Observation, to observation: Observation, without missing: EventValue, now: Moment
  ) -> [TrackerAction] {
    guard let pause = observation.elapsed(since: last), pause >= settings.trips.gapLimit else { return [] }
    let distance = observation.distance(to: last)
    guard distance > max(settings.trips.startDistance, 3 * observation.uncertainty(with: last)) else {
      return []
    }
    let isHidden = positions.isHidden || positions.hides(last)
    let event = EventRecord(
      .gap,
      [
        .duration: .seconds(pause), .missing: missing,
        .distance: isHidden ? nil : .integer(Int64(distance)),
      ])
    return [keep(event, now: now)]
  }

  // MARK: Visits, zones, parking

  private mutating func act(on outcomes: [VisitWatch.Outcome], now: Moment) -> [TrackerAction] {
    outcomes.map { outcome in
      positions.needsSaving = true
      switch outcome {
      case .arrived(let visit):
        return keep(.visit(VisitRecord(visit, departure: nil, device: device)), now: now)
      case .left(let visit, let departure):
        return keep(.visit(VisitRecord(visit, departure: departure, device: device)), now: now)
      }
    }
  }

  private mutating func act(on outcomes: [ZoneWatch.Outcome], zone index: Int, now: Moment) -> [TrackerAction]
  {
    if !outcomes.isEmpty { positions.needsSaving = true }
    let zone = positions.zones[index].zone
    guard !zone.isPrivate, !outcomes.isEmpty, !positions.hides(positions.zones[index]) else { return [] }
    return outcomes.map { outcome in
      switch outcome {
      case .entered(let isInferred): keep(Self.event(.zoneEntered, zone, isInferred), now: now)
      case .left(let isInferred): keep(Self.event(.zoneLeft, zone, isInferred), now: now)
      case .dwelt:
        keep(
          EventRecord(
            .zoneDwelt, [.zone: .text(zone.name), .duration: zone.dwell.map { .seconds($0) }]), now: now)
      }
    }
  }

  private static func event(_ kind: EventKind, _ zone: Zone, _ isInferred: Bool) -> EventRecord {
    EventRecord(kind, [.zone: .text(zone.name), .isInferred: isInferred ? true : nil])
  }

  private mutating func act(
    on outcomes: [ParkingZone.Outcome], from parked: Coordinate?, now: Moment
  ) -> [TrackerAction] {
    outcomes.compactMap { outcome in
      positions.needsSaving = true
      switch outcome {
      case .armed: return nil
      case .moved(_?) where parked.map { positions.hides($0) } ?? false:
        return keep(EventRecord(.parkingMoved, [.cause: "left"]), now: now)
      case .moved(let distance?):
        return keep(EventRecord(.parkingMoved, [.distance: .integer(Int64(distance))]), now: now)
      case .moved(nil):
        positions.stop = StopDetector(reach: settings.stopRadius)
        return keep(EventRecord(.parkingMoved, [.cause: "no_fix"]), now: now)
      }
    }
  }

  func keep(_ body: LogRecord.Body, now: Moment) -> TrackerAction {
    .keep(
      LogRecord(moment: now, time: clock.timestamp(at: now), timeQuality: clock.quality, body: body), .atOnce)
  }

  // MARK: State

  /// The running trip; nil outside trips.
  public var runningTrip: RunningTrip? { positions.trips.running }

  /// Total distance travelled, in mm.
  public var lifetimeMillimetres: Int64 { positions.lifetime.millimetres }

  /// Total steps counted; nil without a counter.
  public var totalSteps: Int32? { facts.totalSteps }

  /// Learned start times are saved after this time, or earlier with other data.
  static let learningInterval = Duration.seconds(3600)
  /// Longest time without saving the distance of a running trip.
  static let saveInterval = Duration.seconds(60)

  mutating func save(now: Moment) -> [TrackerAction] {
    let isDue = positions.trips.isRunning && positions.savedAt.map { now - $0 >= Self.saveInterval } ?? true
    let isLearned = hasLearned && positions.savedAt.map { now - $0 >= Self.learningInterval } ?? true
    guard positions.needsSaving || isDue || isLearned else { return [] }
    positions.needsSaving = false
    memory.savedStarts = schedule?.learnedStarts ?? 0
    positions.savedAt = now
    var state = positions.state(steps: facts.steps)
    state.power = power.level
    state.stretch = power.budget.stretch
    state.steps = totalSteps
    state.driving = driving?.state
    state.paused = pausedPosition
    state.fixMotion = fixMotion.reported(now: now)
    let starts = schedule?.starts ?? memory.starts
    if starts != StartCost(family: .unknown) { state.starts = starts }
    state.ephemeridesRead = ephemeridesRead(now: now)
    return [.save(state.text)]
  }

  mutating func restore(_ text: String, now: Moment) {
    guard let state = TrackerState(text: text, now: now) else { return }
    positions.resume(state, now: now)
    facts.restore(steps: state.steps ?? 0)
    if let state = state.driving { driving?.resume(state) }
    if let reported = state.fixMotion { fixMotion.resume(after: reported, now: now) }
    if let paused = state.paused { resumePause(at: paused) }
    power.restore(state.power, stretch: state.stretch, now: now)
    // A running schedule has more recent data.
    if schedule == nil {
      if let starts = state.starts { memory.starts = starts }
      memory.readBefore = state.ephemeridesRead
      recallEphemerides(now: now)
    }
    if let offset = clock.datedOffset { positions.date(offsetMilliseconds: offset, quality: clock.quality) }
    forgetHidden()
    recallLast()
  }

  /// Processes the last record of an earlier run. It is newer than the saved state: the trip continued until there, and
  /// the device may have stopped since.
  mutating func recallLast() {
    guard positions.last == nil, let time = lastLocation?.time,
      case .location(let location)? = lastLocation?.body
    else { return }
    positions.recall(TripRecord.Location(location, time: .utc(time)))
  }

  mutating func terminate(now: Moment) -> [TrackerAction] {
    if settings.needsPositions || !settings.wifiZones.isEmpty
      || positions.trips.isRunning || facts.steps != nil
      || fixMotion.isReported || schedule != nil || power.level != .normal || power.budget.stretch > 1
    {
      positions.needsSaving = true
    }
    return actionRecord(.willTerminate, now: now) + save(now: now)
  }
}
