import GNSSProtocol
import Quantities
import Records
import Scheduling

// What trips, visits, zones, networks and motion cause.
extension Tracker {
  // MARK: Places

  mutating func placeTimeout(now: Moment) -> [TrackerAction] {
    guard let due = placeDeadline, now >= due else { return [] }
    let lapse = places.handleTimeout(circumstances(now))
    var actions = act(on: lapse.travel, now: now)
    actions += act(on: network.handleTimeout(now: now), now: now)
    actions += act(on: lapse.zones, now: now)
    let wasProfileNew = active.isNew
    updateProfile()
    // A stop that becomes known while the receiver sleeps ended with the last record; the next position check is not
    // recorded for it.
    if lapse.isStopNew, receiver.schedule?.isAsleepWhileStationary == true {
      active.ignoreNews(after: wasProfileNew)
    }
    return actions + save(now: now)
  }

  /// Turns the findings of trips, visits, zones and parking into records.
  mutating func act(on outcomes: [PlaceTracker.Outcome], now: Moment) -> [TrackerAction] {
    var actions: [TrackerAction] = []
    for outcome in outcomes {
      switch outcome {
      case .event(let event): actions.append(record(event, now: now))
      case .visit(let visit, let departure):
        let visit = VisitRecord(visit, departure: departure, device: device)
        actions.append(record(.visit(visit), now: now))
      case .trip(let trip, let end):
        actions.append(record(facts.trip(trip, end: end, device: device), now: now))
      case .heldFixes(let held): actions += write(held, now: now)
      case .tripChanged: actions += applyPolicy(now: now)
      }
    }
    return actions
  }

  /// Records fixes that were held back, unless a newer one is recorded already.
  mutating func write(_ held: [FixRing.BufferedFix], now: Moment) -> [TrackerAction] {
    var actions: [TrackerAction] = []
    for fix in held {
      guard case .location(var location) = fix.record.body, fixes.isNewer(fix.observation) else { continue }
      var record = fix.record
      location.trip = places.trips.running?.start
      record.body = .location(location)
      if let offset = fixes.clock.datedOffset {
        record = record.dated(offsetMilliseconds: offset, quality: fixes.clock.quality)
      }
      actions += keep(record, fix.observation, now: now)
    }
    return actions
  }

  mutating func handle(_ command: TripCommand, now: Moment) -> [TrackerAction] {
    guard let outcomes = places.handle(command, at: fixes.clock.instant(now), circumstances(now)) else {
      return []
    }
    if !outcomes.isEmpty { ask(.transition) }
    return act(on: outcomes, now: now) + save(now: now)
  }

  mutating func endTrip(_ ending: TripRecord.Ending, now: Moment) -> [TrackerAction] {
    act(on: places.endTrip(ending, at: fixes.clock.instant(now), circumstances(now)), now: now)
      + save(now: now)
  }

  /// Selects the profile in effect.
  mutating func updateProfile() {
    guard !settings.profiles.isEmpty else { return active.reset(settings) }
    var conditions: Set<ProfileCondition> = [.always, places.stop.isStopped == true ? .stop : .moving]
    if power.level != .normal { conditions.insert(.lowBattery) }
    if places.zones.contains(where: { $0.zone.hasProfile && $0.side == .inside }) {
      conditions.insert(.inZone)
    }
    let supplied = facts.battery(settings).state
    if supplied == .charging || supplied == .full { conditions.insert(.charging) }
    if isTripInProgress { conditions.insert(.trip) }
    active.select(conditions, settings)
  }

  /// The beginning of the movement that led to a fix, as known before the fix.
  struct Departure {
    /// True if the schedule was tracking a movement already.
    var isTravelling: Bool
    /// Start of motion by a sensor that no fix had confirmed.
    var motionBegan: Moment?
    /// Start of the trip that was running.
    var trip: Instant?
  }

  var departure: Departure {
    Departure(
      isTravelling: receiver.schedule?.isTravelling ?? false, motionBegan: receiver.schedule?.motionBegan,
      trip: places.trips.running?.start)
  }

  mutating func reconstruct(_ validFix: ValidFix, _ departure: Departure) {
    // An ignition line shows which movements are the vehicle's own, and wakes the receiver for them.
    guard receiver.schedule != nil || places.isReconstructing, motion.evidence.ignition == nil,
      !privacy.isHidden,
      !hidesRecord(of: validFix.observation)
    else { return places.stopReconstructing() }
    guard case .location(var location) = location(validFix, .period).body else { return }
    (location.trip, location.steps, location.statistics) = (nil, nil, nil)
    let continues = departure.trip != nil && departure.trip == places.trips.running?.start
    places.reconstruct(
      TripReconstruction.Position(observation: validFix.observation, location: location),
      isCovered: departure.isTravelling || continues, motionBegan: departure.motionBegan,
      reach: settings.stopRadius)
  }

  mutating func reconstructTrip(now: Moment) -> [TrackerAction] {
    let found = places.reconstructedTrip(
      isAsleepWhileStationary: receiver.schedule?.isAsleepWhileStationary == true, motion.evidence, now: now)
    guard let found else { return [] }
    let trip = facts.trip(found, mode: settings.trips.mode, clock: fixes.clock, device: device)
    return [record(trip, now: now)]
  }

  // MARK: Networks

  mutating func take(_ joined: JoinedNetwork?, now: Moment) -> [TrackerAction] {
    facts.joined(joined)
    let before = network.hint(joined, stationarySince: receiver.schedule?.stationarySince, now: now)
    // Only a motion sensor proves that the device was stationary since.
    let movedUntil =
      receiver.schedule?.hasMotionSensor == true ? receiver.schedule?.stationarySince ?? now : now
    var actions = act(on: network.joined(joined, movedUntil: movedUntil, now: now), now: now)
    actions += notifyOfPosition(now: now)
    // The location of a zone replaces a position check.
    guard positionWithoutReceiver == nil, let before, let joined, mayCheckPosition(now: now) else {
      return actions
    }
    var why: EventFields = [.cause: "stationary", .wakeReason: "network_changed"]
    // Network names of a hidden location would reveal it.
    if !privacy.isHidden, !receiver.isPositionHidden {
      why[.network] = .text(joined.name)
      why[.previousNetwork] = .text(before)
    }
    return actions + checkPosition(EventRecord(.receiverAsleep, why), now: now)
  }

  mutating func take(_ addresses: Set<String>, now: Moment) -> [TrackerAction] {
    let missing = network.hint(addresses, stationarySince: receiver.schedule?.stationarySince)
    guard let missing, mayCheckPosition(now: now) else { return [] }
    let event = EventRecord(
      .receiverAsleep,
      [
        .cause: "stationary", .wakeReason: "access_points_gone",
        .accessPoints: .integer(Int64(missing)),
      ])
    return checkPosition(event, now: now)
  }

  func mayCheckPosition(now: Moment) -> Bool { receiver.schedule?.mayCheckPosition(now: now) ?? false }

  mutating func checkPosition(_ event: EventRecord, now: Moment) -> [TrackerAction] {
    [record(event, now: now)] + notify(.positionCheckRequested, now: now)
  }

  mutating func scanTimeout(now: Moment) -> [TrackerAction] {
    guard let window = network.scanWindow(receiver.schedule), now >= window.due else { return [] }
    network.scanned(now: now)
    return [.scanAccessPoints]
  }

  /// Turns the findings of Wi-Fi zones into records. `fix` is the fix that they are based on; nil for a network.
  mutating func act(
    on outcomes: [WifiZoneWatch.Outcome], fix: (position: Coordinate, accuracy: Double?)? = nil, now: Moment
  ) -> [TrackerAction] {
    guard !outcomes.isEmpty else { return [] }
    saving.require()
    let fix = fix.flatMap { privacy.hides($0.position, accuracy: $0.accuracy) ? nil : $0 }
    let events = outcomes.compactMap { outcome in
      privacy.hides(exactly: outcome.zone.position)
        ? nil : record(EventRecord(outcome, contradictedBy: fix), now: now)
    }
    return events + save(now: now)
  }

  /// Applies the joined zone to the records, the receiver schedule and the clock.
  mutating func followZone(now: Moment) -> [TrackerAction] {
    guard network.isFollowing else { return [] }
    var actions = network.isRecordDue(now: now) ? recordJoining(now: now) : []
    actions += notifyOfPosition(now: now)
    if fixes.clock.quality == .none, network.readsClock(now: now) { actions.append(.readSystemClock) }
    return actions
  }

  /// Passes the known location to the receiver schedule.
  mutating func notifyOfPosition(now: Moment) -> [TrackerAction] {
    let position = positionWithoutReceiver
    guard let schedule = receiver.schedule, schedule.knownPosition != position else { return [] }
    return notify(.positionKnown(position), now: now)
  }

  /// The location that replaces the receiver: nil outside zones, while the time is unknown, and if no location is
  /// recorded.
  var positionWithoutReceiver: Coordinate? {
    guard let zone = network.present, fixes.clock.quality != .none, recordsPositions, power.stage != .survival
    else { return nil }
    return zone.position
  }

  mutating func recordJoining(now: Moment) -> [TrackerAction] {
    guard let zone = network.joined, fixes.clock.quality != .none else { return [] }
    guard recordsPositions, power.stage != .survival else {
      network.cancelRecord()
      return []
    }
    // A tracking receiver has just reported a position; the next one replaces this record.
    if let last = fixes.reference?.moment, now - last < WifiZoneRecording.fixWait {
      network.postponeRecord(until: last + WifiZoneRecording.fixWait)
      return []
    }
    network.recorded(zone, now: now)
    return keepPosition(of: zone, active.rules.reactsToTransitions ? .transition : [], now: now) ?? []
  }

  /// Records the known location in place of a start of the receiver.
  mutating func keepKnownPosition(for reason: KeepReason, now: Moment) -> [TrackerAction] {
    // The network is lost for a moment; the record is made when it returns.
    guard let zone = network.joined else {
      network.postponeRecord(until: now)
      return []
    }
    let actions = keepPosition(of: zone, reason.asked ?? [], now: now) ?? []
    receiver.hidPosition(privacy.isHidden)
    return actions
  }

  /// Records the zone's location now, if the recording rules and privacy zones allow it; nil if there is no date.
  mutating func keepPosition(
    of zone: WifiZone, _ asked: KeepReasons, now: Moment
  ) -> [TrackerAction]? {
    guard let time = fixes.clock.timestamp(at: now) else { return nil }
    let validFix = ValidFix(Fix(of: zone, at: time), at: zone.position, timestamp: time, moment: now)
    let observation = validFix.observation
    privacy.locate(observation)
    guard !hidesRecord(of: observation) else {
      request.end()
      fixes.reject(.privateZone, .hidden, now: now)
      return []
    }
    guard fixes.admits(observation, now: now) else { return nil }
    switch active.rules.verdict(on: observation, reference: fixes.reference, asked: asked) {
    case .keep(let reasons): return keep(location(validFix, reasons), observation, now: now)
    case .drop(let rejection, let value):
      fixes.reject(rejection, value, now: now)
      return []
    }
  }

  /// Processes the time of another clock until the receiver reports it.
  mutating func take(_ time: Timestamp?, _ quality: ClockQuality, now: Moment) -> [TrackerAction] {
    guard fixes.clock.quality == .none, network.joined != nil else { return [] }
    guard let time, let changes = fixes.adopt(time, quality: quality, now: now) else {
      fixes.reject(.unknownTime, .time(nil), now: now)
      return []
    }
    let actions = changes.flatMap { act(on: $0, now: now) }
    return request.isExplicit ? actions + (answerByZone(now: now) ?? []) : actions
  }

  // MARK: Motion

  /// Passes the report of a motion source on; nil if it is lost.
  mutating func take(_ source: MotionSource, _ isActive: Bool?, now: Moment) -> [TrackerAction] {
    motion.set(source, isActive: isActive, now: now)
    if source == .accelerometer { driving?.shaken(isActive ?? false, now: now) }
    return notify(source, isActive, now: now)
  }

  mutating func notify(_ source: MotionSource, _ isActive: Bool?, now: Moment) -> [TrackerAction] {
    notify(isActive.map { .evidence(source, isActive: $0) } ?? .evidenceLost(source), now: now)
  }

  mutating func ignition(_ isOn: Bool?, now: Moment) -> [TrackerAction] {
    places.registerStop(motion.evidence, now: now)
    motion.set(ignition: isOn, now: now)
    let time = fixes.clock.timestamp(at: now)
    var actions = act(on: driving?.ignition(isOn, at: time, now: now) ?? [], now: now)
    if isOn == false { actions += report(motion.stopped(now: now), now: now) }
    return actions + notify(.ignition, isOn, now: now)
  }

  /// Applies changes of the supply, which counts as a motion sensor.
  mutating func act(on changes: [SupplyMotion.Change], now: Moment) -> [TrackerAction] {
    guard !changes.isEmpty else { return [] }
    places.registerStop(motion.evidence, now: now)
    motion.apply(changes, now: now)
    return changes.flatMap { notify($0.source, $0.isActive, now: now) }
  }

  /// Logs the motion by fixes.
  mutating func report(_ change: FixMotionWatch.Change?, now: Moment) -> [TrackerAction] {
    guard let change, let report = motion.report(change, isHidden: privacy.isHidden) else { return [] }
    saving.require()
    guard let event = report.event else { return [] }
    return [record(event, .routine, now: now)] + save(now: now)
  }

  mutating func drivingTimeout(now: Moment) -> [TrackerAction] {
    guard let due = driving?.nextTimeout, now >= due else { return [] }
    let time = fixes.clock.timestamp(at: now)
    return act(on: driving?.handleTimeout(at: time, now: now) ?? [], now: now)
  }

  /// Logs overspeed, idling and tow. The distance of a tow is omitted if it starts or ends in a privacy zone.
  mutating func act(on outcomes: [DrivingWatches.Outcome], now: Moment) -> [TrackerAction] {
    guard !outcomes.isEmpty else { return [] }
    saving.require()
    let isHidden = privacy.isHidden || driving?.tow?.position.map { privacy.hides($0) } ?? false
    return outcomes.map { record(EventRecord($0, isHidden: isHidden), now: now) } + save(now: now)
  }

  mutating func classifySpeed(of validFix: ValidFix) {
    guard derivesMotion else { return }
    let observation = validFix.observation
    facts.take(
      speed: isQuiet(observation) ? 0 : observation.speed, accuracy: observation.speedAccuracy,
      at: validFix.moment)
  }
}
