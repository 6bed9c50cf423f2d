import GNSS
import Quantities
import Records

/// Turns the results of trips, visits, zones and parking into records.
extension Tracker {
  /// Passes a fix that passed the filters to all trackers. `isTransition` requests a record of it.
  mutating func watch(_ sample: Sample, now: Moment) -> (actions: [TrackerAction], isTransition: Bool) {
    var actions: [TrackerAction] = []
    // A repeated or late fix contains nothing new.
    if let last = places.last, OrderFilter.outcome(of: sample, after: last) == .notNewer {
      return ([], false)
    }
    let isStable = stability.isStable(sample)
    actions += gap(before: sample, now: now)
    noteRest(now: now)
    places.rest.add(sample, now: now)
    places.last = sample
    if isStable, places.isStopped != true || Odometer.isMoving(sample) {
      places.lifetime.add(sample, notAfter: settings.trips.gapLimit)
    }
    var isTransition = false
    let trips = places.trips.take(
      sample, isStable: isStable, rest: places.rest, evidence: evidence, now: now)
    actions += act(on: trips, now: now)
    if !trips.isEmpty { isTransition = true }
    let visits =
      places.visits?.take(sample, isStable: isStable, rest: places.rest, evidence: evidence, now: now) ?? []
    actions += act(on: visits, now: now)
    for index in places.zones.indices {
      actions += act(
        on: places.zones[index].take(sample, isStable: isStable, now: now), zone: index, now: now)
    }
    let parked = places.parking?.place
    let parking =
      places.parking?.take(
        sample, isStable: isStable && !places.isHidden, rest: places.rest, evidence: evidence, now: now) ?? []
    actions += act(on: parking, from: parked, now: now)
    if updateStop(now: now) {
      isTransition = true
      if places.isStopped == false, settings.keepsLocations {
        actions += write(places.trips.departed(by: sample), now: now)
      }
    }
    updateProfile()
    if isProfileNew { isTransition = true }
    isProfileNew = false
    actions += save(now: now)
    return (actions, isTransition)
  }

  /// Updates only the position of the stop, for records that show it; creates no record.
  mutating func watchRest(_ sample: Sample, now: Moment) {
    places.rest.add(sample, now: now)
    _ = updateStop(now: now)
  }

  mutating func placesTimeout(now: Moment) -> [TrackerAction] {
    var actions = act(on: places.trips.handleTimeout(places.rest, evidence, now: now), now: now)
    actions += act(on: places.visits?.handleTimeout(places.rest, evidence, now: now) ?? [], now: now)
    actions += act(on: places.wifi.handleTimeout(now: now), now: now)
    for index in places.zones.indices {
      actions += act(on: places.zones[index].handleTimeout(now: now), zone: index, now: now)
    }
    if !places.isParkingSilent {
      let parking = places.parking?.handleTimeout(places.rest, evidence, now: now) ?? []
      actions += act(on: parking, from: nil, now: now)
    }
    let wasProfileNew = isProfileNew
    let isStopNew = updateStop(now: now)
    updateProfile()
    // A stop that becomes known while the receiver sleeps ended with the last record; the next position check is not
    // recorded for it.
    if isStopNew, plan?.isAtRest == true { isProfileNew = wasProfileNew }
    return actions + save(now: now)
  }

  /// Registers a stop in which the receiver slept before processing the fix, or the motion, that ends it.
  mutating func noteRest(now: Moment) {
    guard places.rest.isResting(for: RestWatch.stopped, evidence, now: now) else { return }
    places.trips.rested(places.rest, evidence, now: now)
  }

  /// True if the device has stopped or started moving.
  private mutating func updateStop(now: Moment) -> Bool {
    let isStopped =
      places.isStopped == true
      ? places.rest.staysResting(for: RestWatch.stopped, evidence, now: now)
      : places.rest.isResting(for: RestWatch.stopped, evidence, now: now)
    defer { places.isStopped = isStopped }
    guard isStopped != places.isStopped else { return false }
    places.parkedPlace = isStopped ? places.rest.stay?.centre : nil
    return places.isStopped != nil || isStopped
  }

  /// Selects the profile in effect.
  mutating func updateProfile() {
    guard !settings.profiles.isEmpty else {
      (profile, isProfileNew) = (nil, false)
      return
    }
    var conditions: Set<Profile> = [.always, places.isStopped == true ? .stop : .moving]
    if power.level != .normal { conditions.insert(.lowBattery) }
    if places.zones.contains(where: { $0.zone.hasProfile && $0.side == .inside }) { conditions.insert(.zone) }
    let supplied = (battery ?? Battery(settings.supply)).state
    if supplied == .charging || supplied == .full { conditions.insert(.charging) }
    if places.trips.isRunning { conditions.insert(.trip) }
    let active = settings.profiles.active(conditions)
    guard active != profile else { return }
    profile = active
    isProfileNew = true
  }

  private mutating func gap(before sample: Sample, now: Moment) -> [TrackerAction] {
    if let recalled = places.recalled, sample.timestamp != nil {
      places.recalled = nil
      // If only trips by hand are recorded, nothing is missing before them.
      let isMissed =
        settings.keepsLocations || settings.trips.isAutomatic
        || places.trips.running.map { $0.startMoment == nil } ?? false
      if isMissed { return gap(from: recalled, to: sample, without: "location", now: now) }
    }
    guard let last = places.last else { return [] }
    return gap(from: last, to: sample, without: "fix", now: now)
  }

  // Mutating like its callers: see ``record(of:reasons:)``.
  private mutating func gap(
    from last: Sample, to sample: Sample, without missing: EventValue, now: Moment
  ) -> [TrackerAction] {
    guard let pause = sample.elapsed(since: last), pause >= settings.trips.gapLimit else { return [] }
    let distance = sample.distance(to: last)
    guard distance > max(settings.trips.startDistance, 3 * sample.uncertainty(with: last)) else { return [] }
    let isHidden = places.isHidden || places.hides(last)
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
      places.needsSaving = true
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
    if !outcomes.isEmpty { places.needsSaving = true }
    let zone = places.zones[index].zone
    guard !zone.isPrivate, !outcomes.isEmpty, !places.hides(places.zones[index]) else { return [] }
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
      places.needsSaving = true
      switch outcome {
      case .armed: return nil
      case .moved(_?) where parked.map { places.hides($0) } ?? false:
        return keep(EventRecord(.parkingMoved, [.cause: "left"]), now: now)
      case .moved(let distance?):
        return keep(EventRecord(.parkingMoved, [.distance: .integer(Int64(distance))]), now: now)
      case .moved(nil):
        places.rest = RestWatch(reach: settings.restReach)
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
  public var runningTrip: RunningTrip? { places.trips.running }

  /// Total distance travelled, in mm.
  public var lifetimeMillimetres: Int64 { places.lifetime.millimetres }

  /// Total steps counted; nil without a counter.
  public var totalSteps: Int32? { steps.map { $0.addingReportingOverflow(stepsBefore).partialValue } }

  /// Learned start times are saved after this time, or earlier with other data.
  static let learningInterval = Duration.seconds(3600)
  /// Longest time without saving the distance of a running trip.
  static let saveInterval = Duration.seconds(60)

  mutating func save(now: Moment) -> [TrackerAction] {
    let isDue = places.trips.isRunning && places.savedAt.map { now - $0 >= Self.saveInterval } ?? true
    let isLearned = hasLearned && places.savedAt.map { now - $0 >= Self.learningInterval } ?? true
    guard places.needsSaving || isDue || isLearned else { return [] }
    places.needsSaving = false
    savedStarts = plan?.learnedStarts ?? 0
    places.savedAt = now
    var state = places.state(steps: steps)
    state.power = power.level
    state.stretch = budget.stretch
    state.steps = totalSteps
    state.driving = driving?.state
    state.paused = pausedPlace
    state.underWay = underWay.told(now: now)
    let starts = plan?.starts ?? memory.starts
    if starts != StartCost(family: .unknown) { state.starts = starts }
    state.ephemeridesRead = ephemeridesRead(now: now)
    return [.save(state.text)]
  }

  mutating func restore(_ text: String, now: Moment) {
    guard let state = TrackerState(text: text, now: now) else { return }
    places.resume(state, now: now)
    stepsBefore = state.steps ?? 0
    if let state = state.driving { driving?.resume(state) }
    if let told = state.underWay { underWay.resume(after: told, now: now) }
    if let paused = state.paused { resumePause(at: paused) }
    power.restore(state.power, now: now)
    budget.restore(stretch: state.stretch)
    // A running schedule has more recent data.
    if plan == nil {
      if let starts = state.starts { memory.starts = starts }
      memory.readBefore = state.ephemeridesRead
      recallEphemerides(now: now)
    }
    if let datedOffset { places.date(offsetMilliseconds: datedOffset, quality: clock.quality) }
    forgetHidden()
    recallLast()
  }

  /// Processes the last record of an earlier run. It is newer than the saved state: the trip continued until there, and
  /// the device may have stopped since.
  mutating func recallLast() {
    guard places.last == nil, let time = lastLocation?.time,
      case .location(let location)? = lastLocation?.body
    else { return }
    places.recall(TripRecord.Place(location, time: .utc(time)))
  }

  mutating func terminate(now: Moment) -> [TrackerAction] {
    if settings.watchesPlaces || !settings.wifiZones.isEmpty
      || places.trips.isRunning || steps != nil
      || underWay.isTold || plan != nil || power.level != .normal || budget.stretch > 1
    {
      places.needsSaving = true
    }
    return actionRecord(.willTerminate, now: now) + save(now: now)
  }
}
