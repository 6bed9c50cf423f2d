import Energy
import GNSSProtocol
import Motion
import Quantities
import Records
import Scheduling

/// Decides what is recorded: clock, filters, recording rules, trips, visits, zones, receiver schedule and power level.
///
/// Inputs are ``TrackerEvent``s with their time, outputs are ``TrackerAction``s. It performs nothing itself: the owner
/// carries out the actions and calls ``handleTimeout(now:)`` no earlier than ``nextTimeout``. The daemon, a replay and the
/// tests use the same value.
///
/// Its parts decide; it passes what one of them finds to the others.
public struct Tracker: Sendable {
  /// The settings in effect.
  public private(set) var settings: TrackerSettings
  /// The recording rules in effect.
  private var active: ActiveRules
  /// The way of a fix to the rules, with the clock that dates records.
  private var fixes = FixPipeline()
  private var locations = RecordedLocations()
  /// What records say about the device besides its position.
  private(set) var facts = RecordFactory()
  /// What is asked of the next position.
  private(set) var request = PositionRequest()
  private(set) var motion: DeviceMotion
  private(set) var places: PlaceTracker
  private var privacy: Privacy
  private var network: NetworkLocation
  private var receiver: ScheduledReceiver
  /// The power level and the battery budget.
  public private(set) var power: PowerPolicy
  /// Detects overspeed, idling and tow; nil if none of them is set.
  private(set) var driving: DrivingWatches?
  private var saving = Saving()
  /// What the owner reads after each event. Stored, because computing it from outside would copy the whole value.
  private var summary = Summary()

  /// The state that survives a restart, and when it was saved.
  private struct Saving {
    var isNeeded = false
    var savedAt: Moment?
  }

  private struct Summary {
    var nextTimeout: Moment?
    var nextWake: WakeWindow?
    var scheduleTimeout: Moment?
    var receiverState: ReceiverState?
    var latencyBudget = Duration.zero
    var hasCyclicMode = false
    var isTripRunning = false
    var powerStage = PowerStage.normal
  }

  public init(settings: TrackerSettings) {
    self.settings = settings
    active = ActiveRules(settings)
    motion = DeviceMotion(settings.supplyMotion)
    places = PlaceTracker(settings)
    privacy = Privacy(settings.zones)
    network = NetworkLocation(settings)
    receiver = ScheduledReceiver(settings)
    power = PowerPolicy(settings.power, budget: settings.budget)
    driving = DrivingWatches(settings.driving, ignition: nil, now: .zero)
  }

  // MARK: Events

  /// Handles an event and returns the actions.
  public mutating func handle(_ event: TrackerEvent, now: Moment) -> [TrackerAction] {
    var actions: [TrackerAction] = []
    if !event.isEpoch, let lost = fixes.lapse(now: now) { actions += act(on: lost, now: now) }
    actions += take(event, now: now)
    if active.rules.reactsToEvents { actions += requestPositionForEvents(actions, now: now) }
    actions += finishRequests(now: now) + followZone(now: now)
    updateSummary()
    return disclosed(actions)
  }

  /// Acts on the deadlines that have passed.
  public mutating func handleTimeout(now: Moment) -> [TrackerAction] {
    defer { updateSummary() }
    var actions = carryOut(receiver.handleTimeout(now: now), now: now)
    actions += finishRequests(now: now)
    updateSummary()
    guard let due = nextTimeout, now >= due else { return disclosed(actions) }
    if let due = fixes.rejections.nextTimeout, now >= due { actions += reportRejections(now: now) }
    actions += beat(now: now) + scanTimeout(now: now)
    actions += act(on: motion.handleTimeout(now: now), now: now)
    actions += drivingTimeout(now: now) + powerTimeout(now: now) + placeTimeout(now: now)
    if places.isReconstructing { actions += reconstructTrip(now: now) }
    if active.rules.reactsToEvents { actions += requestPositionForEvents(actions, now: now) }
    actions += followZone(now: now)
    return disclosed(actions)
  }

  private mutating func take(_ event: TrackerEvent, now: Moment) -> [TrackerAction] {
    switch event {
    case .started(let lastLocation, let previousRun): return start(lastLocation, previousRun, now: now)
    case .restored(let text):
      restore(text, now: now)
      return []
    case .epoch(let fix, let systemClock): return handle(fix, systemClock: systemClock, now: now)
    case .received(let strongest): return notify(.received(strongest: strongest), now: now)
    case .receiverIdentified(let family):
      receiver.identified(family)
      return []
    case .cyclicMode(let isOffered):
      receiver.offersCyclicMode(isOffered)
      return notify(.cyclicMode(isOffered: isOffered), now: now)
    case .withheld(let fix):
      fixes.withhold(fix, now: now)
      return []
    case .battery(let battery):
      facts.take(battery)
      updateProfile()
      return []
    case .power(let reading): return act(on: power.take(reading, now: now), now: now)
    case .powerUse(let use): return take(use, now: now)
    case .motion(let states):
      places.registerStop(evidence, now: now)
      motion.set(states, now: now)
      return []
    case .evidence(let source, let isActive): return take(source, isActive, now: now)
    case .evidenceLost(let source): return take(source, nil, now: now)
    case .ignition(let isOn): return ignition(isOn, now: now)
    case .supply(let reading): return act(on: motion.take(reading, now: now), now: now)
    case .steps(let steps):
      facts.take(steps: steps)
      places.stepsBegan()
      return []
    case .network(let joined): return take(joined, now: now)
    case .radioSwitchedOff:
      facts.joined(nil)
      network.switchedOff()
      receiver.forgetKnownPosition()
      return []
    case .systemTime(let time, let quality): return take(time, quality, now: now)
    case .accessPoints(let addresses): return take(addresses, now: now)
    case .positionRequested: return power.stage == .survival ? [] : requestPosition(now: now)
    case .checkIn: return requestPosition(now: now)
    case .trip(let command): return handle(command, now: now)
    case .occurred(let event): return [record(event, now: now)]
    case .settings(let settings, let changed): return adopt(settings, changed, now: now)
    case .stopping: return stop(now: now)
    }
  }

  // MARK: Start, settings, stop

  private mutating func start(
    _ lastLocation: LogRecord?, _ previousRun: EventFields, now: Moment
  ) -> [TrackerAction] {
    resume(after: lastLocation)
    places.reconcile(lastRecord: lastLocation?.time)
    locations.began(now: now)
    updateProfile()
    let fields = EventFields([.version: .text(Release.version)]).merging(previousRun)
    var actions = [record(EventRecord(.started, fields), now: now)]
    // The master switch may have gone off while the program was not running.
    if !settings.isTracking, isTripInProgress {
      actions += act(
        on: places.endTripWhereSeenLast(at: clock.instant(now), circumstances(now)), now: now)
      actions += save(now: now)
    }
    return actions + act(on: network.begin(now: now), now: now) + applyPolicy(now: now)
  }

  private mutating func resume(after last: LogRecord?) {
    // Fixes received before the log was open have set their own reference.
    guard fixes.reference == nil, let last, case .location(let location) = last.body, last.time != nil else {
      return
    }
    guard !privacy.hides(location) else { return privacy.assumeHidden() }
    locations.resume(after: last)
    fixes.resume(after: Observation(timestamp: last.time, moment: nil, coordinate: location.coordinate))
    recallLast()
  }

  private mutating func recallLast() {
    guard let time = lastLocation?.time, case .location(let location)? = lastLocation?.body else { return }
    places.recall(TripRecord.Location(location, time: .utc(time)))
  }

  private mutating func adopt(
    _ settings: TrackerSettings, _ changed: [String], now: Moment
  ) -> [TrackerAction] {
    self.settings = settings
    active.apply(settings)
    places.apply(settings)
    network.apply(settings)
    receiver.apply(settings)
    // The saved state may hold a location that must not be disclosed any more.
    if privacy.apply(settings.zones) { saving.isNeeded = true }
    fixes.rulesChanged()
    updateProfile()
    forgetHidden()
    request.forgetBest()
    var actions: [TrackerAction] = []
    if !settings.isTracking, isTripInProgress { actions += endTrip(.asked, now: now) }
    if !receiver.mayDefer { summary.latencyBudget = .zero }
    let levelled = act(on: power.change(settings.power, budget: settings.budget, now: now), now: now)
    driving = DrivingWatches(settings.driving, after: driving, ignition: evidence.ignition, now: now)
    let moved = act(on: motion.adopt(settings.supplyMotion, now: now), now: now)
    let event = EventRecord(.configurationChanged, [.changes: .list(changed)])
    let adopted = applyPolicy(now: now)
    actions += [record(event, now: now)] + levelled + moved + adopted
    return actions + (saving.isNeeded || places.isUnsaved ? save(now: now) : [])
  }

  private mutating func stop(now: Moment) -> [TrackerAction] {
    var actions = fixes.releaseCredible(now: now).map { take($0, now: now) } ?? []
    actions += recordBestFix(now: now) + reportRejections(now: now)
    if settings.needsPositions || !settings.wifiZones.isEmpty || isTripInProgress || facts.steps != nil
      || motion.isReported || schedule != nil || power.level != .normal || power.budget.stretch > 1
    {
      saving.isNeeded = true
    }
    actions += actionRecord(.willTerminate, now: now) + save(now: now)
    return actions + [record(EventRecord(.stopped), now: now)]
  }

  // MARK: Fixes

  private mutating func handle(_ fix: Fix, systemClock: Timestamp, now: Moment) -> [TrackerAction] {
    receiver.take(fix)
    let epoch = fixes.read(fix, systemClock: systemClock, now: now)
    var actions: [TrackerAction] = []
    for change in epoch.changes { actions += act(on: change, now: now) }
    if let confirmed = epoch.confirmed { actions += take(confirmed, now: now) }
    guard let fix = epoch.fix else { return actions }
    return actions.isEmpty ? take(fix, now: now) : actions + take(fix, now: now)
  }

  private mutating func act(on change: FixPipeline.ClockChange, now: Moment) -> [TrackerAction] {
    switch change {
    case .lost(let pause): return [record(EventRecord(.clockLost, [.age: .seconds(pause)]), now: now)]
    case .returned(let step):
      return [record(EventRecord(.clockSourceChanged, [.step: .integer(step)]), now: now)]
    case .known(let time, let offset, let lastRecord):
      receiver.recallEphemerides(clock, now: now)
      if let lastRecord { locations.date(lastRecord, clock.quality) }
      places.date(offsetMilliseconds: offset, quality: clock.quality)
      let event = EventRecord(
        .clockSet, [.time: .integer(time.milliseconds), .cause: clock.quality.source])
      return [.date(offsetMilliseconds: offset), record(event, now: now)]
    case .stepped(let milliseconds):
      return [record(EventRecord(.clockStepped, [.step: .integer(milliseconds)]), now: now)]
    case .weekRepaired(let days):
      return [record(EventRecord(.weekRepaired, [.days: .integer(days)]), now: now)]
    case .redated(let offset): return [.date(offsetMilliseconds: offset)]
    }
  }

  private mutating func take(_ dated: FixPipeline.DatedFix, now: Moment) -> [TrackerAction] {
    receiver.beginFix()
    var actions: [TrackerAction] = []
    if network.hasZones, let position = dated.fix.position {
      let accuracy = dated.fix.horizontalAccuracy
      actions += act(on: network.compare(position, accuracy: accuracy, now: now), now: now)
    }
    let chosen = fixes.screen(
      dated, known: network.joined?.position,
      limits: .init(maxAccuracy: settings.maxAccuracy, retryWindow: settings.accuracyRetryWindow),
      evidence: evidence, isRequested: !request.reasons.isEmpty, last: places.last, now: now)
    let departure = departure
    let planned = carryOut(
      receiver.handle(
        epoch: dated.fix, mayBeKept: chosen != nil, isTimeKnown: clock.quality != .none, now: now), now: now)
    actions += planned
    // The position before the departure is recorded before the fix that confirms it, and may be younger than that fix.
    guard let chosen, planned.isEmpty || fixes.admits(chosen.observation, now: now) else { return actions }
    let accepted = accept(chosen, departure, now: now)
    return actions.isEmpty ? accepted : actions + accepted
  }

  /// Processes a fix that passed the filters.
  private mutating func accept(
    _ validFix: ValidFix, _ departure: Departure, now: Moment
  ) -> [TrackerAction] {
    let observation = validFix.observation
    classifySpeed(of: validFix)
    privacy.locate(observation)
    motion.confirmSupply(by: observation, now: now)
    let change = motion.take(observation, isHidden: privacy.isHidden, now: now)
    var actions = report(change, now: now)
    if driving != nil { actions += act(on: driving?.take(observation, now: now) ?? [], now: now) }
    var asked = request.reasons
    if settings.needsPositions || isTripInProgress {
      let (outcomes, isTransition) = places.take(observation, circumstances(now))
      actions += act(on: outcomes, now: now)
      updateProfile()
      let isProfileNew = active.takeNews()
      actions += save(now: now)
      if isTransition || isProfileNew, active.rules.reactsToTransitions { asked.insert(.transition) }
    } else {
      places.rest(settings)
      if settings.freezesWithIgnitionOff, evidence.ignition != nil {
        places.follow(observation, evidence, now: now)
      }
    }
    if settings.reconstructsTrips { reconstruct(validFix, departure) }
    let isHidden = hidesRecord(of: observation)
    if receiver.keepReason != nil { receiver.hidPosition(isHidden) }
    guard !isHidden else {
      // Requests get nothing here: a requested fix bypasses the filters, and a wild one might lie outside the zone.
      request.end()
      fixes.reject(.privateZone, .hidden, now: now)
      return actions
    }
    guard settings.keepsLocations || request.isExplicit || isTripInProgress else {
      buffer(validFix)
      fixes.reject(.trackingOff, .time(observation.timestamp), now: now)
      return actions
    }
    if schedule != nil {
      if let reason = receiver.keepReason {
        if let reasons = reason.asked { asked.formUnion(reasons) }
      } else if asked.isEmpty || schedule?.isAcquiring == true {
        if !asked.isEmpty { request.hold(validFix, for: asked) }
        buffer(validFix)
        fixes.reject(.notPlanned, .time(observation.timestamp), now: now)
        return actions
      }
    }
    let decided = decide(on: validFix, asked, now: now)
    return actions.isEmpty ? decided : actions + decided
  }

  /// Records a fix, or leaves it out, by the recording rules.
  private mutating func decide(on validFix: ValidFix, _ asked: KeepReasons, now: Moment) -> [TrackerAction] {
    let observation = validFix.observation
    switch active.rules.verdict(on: observation, reference: fixes.reference, asked: asked) {
    case .drop(let rejection, let value):
      buffer(validFix)
      fixes.reject(rejection, value, now: now)
      return fixes.reportLeftOut(now: now).map { [record($0, .routine, now: now)] } ?? []
    case .keep(let reasons):
      let record = location(validFix, reasons)
      if places.trips.isBuffering { places.buffer(observation, record: record, isKept: true) }
      return keep(record, observation, now: now)
    }
  }

  private mutating func buffer(_ validFix: ValidFix) {
    guard places.trips.isBuffering else { return }
    places.buffer(validFix.observation, record: location(validFix, .beginning), isKept: false)
  }

  /// Records a location; it becomes the reference of all rules.
  private mutating func keep(
    _ record: LogRecord, _ observation: Observation, now: Moment
  ) -> [TrackerAction] {
    let wasExplicit = request.end()
    if wasExplicit { receiver.endRequest() }
    let isFirst = locations.recorded(record, now: now)
    if case .location(let location) = record.body, location.accuracySource == .wifiZone,
      let zone = network.joined
    {
      network.recorded(zone, now: now)
    }
    places.kept(record)
    var actions: [TrackerAction] = []
    if let event = fixes.recorded(observation, now: now) {
      actions.append(self.record(event, .routine, now: now))
    }
    actions.append(.keep(record, isFirst || wasExplicit ? .atOnce : .routine))
    if isFirst { actions += actionRecord(.applicationLaunchedWithLocation, now: now) }
    if power.waitsForPosition { actions += act(on: power.positionKept(now: now), now: now) }
    return actions
  }

  // MARK: Places

  private mutating func placeTimeout(now: Moment) -> [TrackerAction] {
    guard let due = placeDeadline, now >= due else { return [] }
    var (outcomes, isStopNew) = places.handleTimeout(circumstances(now))
    var actions = act(on: outcomes, now: now)
    outcomes = []
    actions += act(on: network.handleTimeout(now: now), now: now)
    let wasProfileNew = active.isNew
    updateProfile()
    // A stop that becomes known while the receiver sleeps ended with the last record; the next position check is not
    // recorded for it.
    if isStopNew, schedule?.isAsleepWhileStationary == true { active.ignoreNews(after: wasProfileNew) }
    return actions + save(now: now)
  }

  /// Turns the findings of trips, visits, zones and parking into records.
  private mutating func act(on outcomes: [PlaceTracker.Outcome], now: Moment) -> [TrackerAction] {
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
  private mutating func write(_ held: [FixRing.BufferedFix], now: Moment) -> [TrackerAction] {
    var actions: [TrackerAction] = []
    for fix in held {
      guard case .location(var location) = fix.record.body, fixes.isNewer(fix.observation) else { continue }
      var record = fix.record
      location.trip = places.trips.running?.start
      record.body = .location(location)
      if let offset = clock.datedOffset {
        record = record.dated(offsetMilliseconds: offset, quality: clock.quality)
      }
      actions += keep(record, fix.observation, now: now)
    }
    return actions
  }

  private mutating func handle(_ command: TripCommand, now: Moment) -> [TrackerAction] {
    let outcomes = places.handle(command, at: clock.instant(now), circumstances(now))
    if !outcomes.isEmpty { ask(.transition) }
    return act(on: outcomes, now: now) + save(now: now)
  }

  private mutating func endTrip(_ ending: TripRecord.Ending, now: Moment) -> [TrackerAction] {
    act(on: places.endTrip(ending, at: clock.instant(now), circumstances(now)), now: now) + save(now: now)
  }

  /// Selects the profile in effect.
  private mutating func updateProfile() {
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
  private struct Departure {
    /// True if the schedule was tracking a movement already.
    var isTravelling: Bool
    /// Start of motion by a sensor that no fix had confirmed.
    var motionBegan: Moment?
    /// Start of the trip that was running.
    var trip: Instant?
  }

  private var departure: Departure {
    Departure(
      isTravelling: schedule?.isTravelling ?? false, motionBegan: schedule?.motionBegan,
      trip: places.trips.running?.start)
  }

  private mutating func reconstruct(_ validFix: ValidFix, _ departure: Departure) {
    // An ignition line shows which movements are the vehicle's own, and wakes the receiver for them.
    guard schedule != nil || places.isReconstructing, evidence.ignition == nil, !privacy.isHidden,
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

  private mutating func reconstructTrip(now: Moment) -> [TrackerAction] {
    let found = places.reconstructedTrip(
      isAsleepWhileStationary: schedule?.isAsleepWhileStationary == true, evidence, now: now)
    guard let found else { return [] }
    let trip = facts.trip(found, mode: settings.trips.mode, clock: clock, device: device)
    return [record(trip, now: now)]
  }

  // MARK: The receiver

  private mutating func notify(_ event: ReceiverScheduleEvent, now: Moment) -> [TrackerAction] {
    guard schedule != nil else { return [] }
    return carryOut(receiver.handle(event, now: now), now: now)
  }

  private mutating func carryOut(_ actions: [ReceiverScheduleAction], now: Moment) -> [TrackerAction] {
    var carriedOut: [TrackerAction] = []
    for action in actions {
      switch action {
      case .receiver(let state, let until):
        carriedOut.append(.receiver(state, until: until))
        carriedOut += reportSleep(until: until, now: now)
      case .keep(let reason):
        receiver.keeps(for: reason)
        if reason.isMoving { carriedOut += reportWakeUp(now: now) }
      case .keepKnownPosition(let reason): carriedOut += keepKnownPosition(for: reason, now: now)
      case .keepLastPosition(_, let at): carriedOut += keepLastPosition(at: at, now: now)
      }
    }
    return carriedOut
  }

  /// Applies a changed tracking policy, of the settings or a trip: starts a schedule, changes it, or ends it for a
  /// receiver that is always on.
  private mutating func applyPolicy(now: Moment) -> [TrackerAction] {
    let isByHand = places.trips.running?.isManual
    let affordable = power.affordable(
      settings.policy(inTripByHand: isByHand), isByHand: isByHand == true,
      keepsLocations: settings.keepsLocations)
    guard let policy = affordable else {
      guard schedule != nil else { return [] }
      let state = receiver.end()
      return reportResume(now: now) + (state == .tracking ? [] : [.receiver(.tracking, until: nil)])
    }
    guard schedule == nil else {
      receiver.adopt(settings.currents)
      return notify(.policy(policy), now: now) + searchForTime(now: now)
    }
    receiver.start(policy, currents: settings.currents, knownPosition: positionWithoutReceiver)
    var begun: [TrackerAction] = []
    for (source, isActive) in evidence.sources.sorted(by: { $0.key.rawValue < $1.key.rawValue }) {
      begun += notify(.evidence(source, isActive: isActive), now: now)
    }
    begun += notify(.started, now: now) + searchForTime(now: now)
    if request.isExplicit { begun += notify(.positionRequested, now: now) }
    return begun.isEmpty ? [.receiver(.backup, until: nil)] : begun
  }

  /// Starts one search for the time if no locations are required: events need it for their date.
  private mutating func searchForTime(now: Moment) -> [TrackerAction] {
    guard schedule?.policy == .off, clock.quality == .none, power.stage != .survival else { return [] }
    return notify(.timeRequested, now: now)
  }

  /// Logs every sleep of the receiver once, however many position checks it contains.
  private mutating func reportSleep(until: Moment?, now: Moment) -> [TrackerAction] {
    guard let cause = receiver.reportableSleep() else { return [] }
    let event = EventRecord(
      .receiverAsleep, [.cause: .text(cause.rawValue), .wake: until.map { .seconds($0 - now) }])
    var reported = [record(event, now: now)]
    guard schedule?.isAsleepWhileStationary == true else { return reported }
    reported += report(motion.stopped(now: now), now: now)
    let isByHand = places.trips.running?.isManual == true
    if settings.pausesWhileStationary || isByHand, receiver.paused(now: now) {
      reported.append(record(EventRecord(.trackingPaused, [.cause: "stationary"]), now: now))
    }
    reported += pauseRecord(.pausedLocationUpdates, now: now)
    // A schedule of a trip by hand sleeps while stationary only if a pause ends the trip.
    return isByHand ? reported + endTrip(.pause, now: now) : reported
  }

  /// Ends the sleep that was logged.
  private mutating func reportWakeUp(now: Moment) -> [TrackerAction] {
    guard receiver.woke() else { return [] }
    let left = hasLeftFence ? pauseRecord(.exitedPauseRegion, now: now) : []
    return reportResume(now: now) + left + pauseRecord(.resumedLocationUpdates, now: now)
  }

  private mutating func reportResume(now: Moment) -> [TrackerAction] {
    guard let pause = receiver.resumed(now: now) else { return [] }
    return [record(EventRecord(.trackingResumed, [.duration: .seconds(pause)]), now: now)]
  }

  /// True if the present fix is outside the geofence around the pause position.
  private var hasLeftFence: Bool {
    guard let fence = schedule?.policy.resumeDistance, let seen = schedule?.lastFix,
      case .location(let last)? = lastLocation?.body
    else { return false }
    return last.coordinate.distance(to: seen.coordinate) >= fence
  }

  /// Records the last position again: the device was there until then.
  private mutating func keepLastPosition(at moment: Moment, now: Moment) -> [TrackerAction] {
    guard settings.keepsLocations, moment <= now else { return [] }
    guard !receiver.isPositionHidden else {
      fixes.reject(.privateZone, .hidden, now: now)
      return []
    }
    guard let last = lastLocation, case .location(var location) = last.body else { return [] }
    let time = clock.timestamp(at: moment)
    // A second record of the same position so soon is unnecessary.
    if let time, let before = last.time, time - before < ReceiverSchedule.shortestStep { return [] }
    // The speed is unknown while the receiver slept.
    if location.fixKind != .none { location.speedMillimetresPerSecond = 0 }
    location.courseMillidegrees = nil
    location.courseAccuracyMillidegrees = nil
    location.motion = .stationary
    location.reasons = .transition
    location.batteryState = device.batteryState
    location.batteryPercent = device.batteryPercent
    location.wifi = device.wifi
    let record = LogRecord(
      moment: moment, time: time, timeQuality: clock.quality, body: .location(location))
    locations.repeated(record)
    fixes.confirmedReference(at: moment, time)
    return [.keep(record, .routine)]
  }

  // MARK: Motion

  /// Passes the report of a motion source on; nil if it is lost.
  private mutating func take(_ source: MotionSource, _ isActive: Bool?, now: Moment) -> [TrackerAction] {
    motion.set(source, isActive: isActive, now: now)
    if source == .accelerometer { driving?.shaken(isActive ?? false, now: now) }
    return notify(source, isActive, now: now)
  }

  private mutating func notify(_ source: MotionSource, _ isActive: Bool?, now: Moment) -> [TrackerAction] {
    notify(isActive.map { .evidence(source, isActive: $0) } ?? .evidenceLost(source), now: now)
  }

  private mutating func ignition(_ isOn: Bool?, now: Moment) -> [TrackerAction] {
    places.registerStop(evidence, now: now)
    motion.set(ignition: isOn, now: now)
    let time = clock.timestamp(at: now)
    var actions = act(on: driving?.ignition(isOn, at: time, now: now) ?? [], now: now)
    if isOn == false { actions += report(motion.stopped(now: now), now: now) }
    return actions + notify(.ignition, isOn, now: now)
  }

  /// Applies changes of the supply, which counts as a motion sensor.
  private mutating func act(on changes: [SupplyMotion.Change], now: Moment) -> [TrackerAction] {
    guard !changes.isEmpty else { return [] }
    places.registerStop(evidence, now: now)
    motion.apply(changes, now: now)
    return changes.flatMap { notify($0.source, $0.isActive, now: now) }
  }

  /// Logs the motion by fixes.
  private mutating func report(_ change: FixMotionWatch.Change?, now: Moment) -> [TrackerAction] {
    guard let change, let report = motion.report(change, isHidden: privacy.isHidden) else { return [] }
    saving.isNeeded = true
    guard let event = report.event else { return [] }
    return [record(event, .routine, now: now)] + save(now: now)
  }

  private mutating func drivingTimeout(now: Moment) -> [TrackerAction] {
    guard let due = driving?.nextTimeout, now >= due else { return [] }
    let time = clock.timestamp(at: now)
    return act(on: driving?.handleTimeout(at: time, now: now) ?? [], now: now)
  }

  /// Logs overspeed, idling and tow. The distance of a tow is omitted if it starts or ends in a privacy zone.
  private mutating func act(on outcomes: [DrivingWatches.Outcome], now: Moment) -> [TrackerAction] {
    guard !outcomes.isEmpty else { return [] }
    saving.isNeeded = true
    let isHidden = privacy.isHidden || driving?.tow?.position.map { privacy.hides($0) } ?? false
    return outcomes.map { record(EventRecord($0, isHidden: isHidden), now: now) } + save(now: now)
  }

  private mutating func classifySpeed(of validFix: ValidFix) {
    guard derivesMotion else { return }
    let observation = validFix.observation
    facts.take(
      speed: isQuiet(observation) ? 0 : observation.speed, accuracy: observation.speedAccuracy,
      at: validFix.moment)
  }

  // MARK: Networks

  private mutating func take(_ joined: JoinedNetwork?, now: Moment) -> [TrackerAction] {
    facts.joined(joined)
    let before = network.hint(joined, stationarySince: schedule?.stationarySince, now: now)
    // Only a motion sensor proves that the device was stationary since.
    let movedUntil = schedule?.hasMotionSensor == true ? schedule?.stationarySince ?? now : now
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

  private mutating func take(_ addresses: Set<String>, now: Moment) -> [TrackerAction] {
    let missing = network.hint(addresses, stationarySince: schedule?.stationarySince)
    guard let missing, mayCheckPosition(now: now) else { return [] }
    let event = EventRecord(
      .receiverAsleep,
      [
        .cause: "stationary", .wakeReason: "access_points_gone",
        .accessPoints: .integer(Int64(missing)),
      ])
    return checkPosition(event, now: now)
  }

  private func mayCheckPosition(now: Moment) -> Bool { schedule?.mayCheckPosition(now: now) ?? false }

  private mutating func checkPosition(_ event: EventRecord, now: Moment) -> [TrackerAction] {
    [record(event, now: now)] + notify(.positionCheckRequested, now: now)
  }

  private mutating func scanTimeout(now: Moment) -> [TrackerAction] {
    guard let window = network.scanWindow(schedule), now >= window.due else { return [] }
    network.scanned(now: now)
    return [.scanAccessPoints]
  }

  private mutating func act(on outcomes: [WifiZoneWatch.Outcome], now: Moment) -> [TrackerAction] {
    guard !outcomes.isEmpty else { return [] }
    saving.isNeeded = true
    let events = outcomes.compactMap { outcome in
      privacy.hides(outcome.zone.position) ? nil : record(EventRecord(outcome), now: now)
    }
    return events + save(now: now)
  }

  /// Applies the joined zone to the records, the receiver schedule and the clock.
  private mutating func followZone(now: Moment) -> [TrackerAction] {
    guard network.isFollowing else { return [] }
    var actions = network.isRecordDue(now: now) ? recordJoining(now: now) : []
    actions += notifyOfPosition(now: now)
    if clock.quality == .none, network.readsClock(now: now) { actions.append(.readSystemClock) }
    return actions
  }

  /// Passes the known location to the receiver schedule.
  private mutating func notifyOfPosition(now: Moment) -> [TrackerAction] {
    let position = positionWithoutReceiver
    guard let schedule, schedule.knownPosition != position else { return [] }
    return notify(.positionKnown(position), now: now)
  }

  /// The location that replaces the receiver: nil outside zones, while the time is unknown, and if no location is
  /// recorded.
  private var positionWithoutReceiver: Coordinate? {
    guard let zone = network.present, clock.quality != .none, recordsPositions, power.stage != .survival
    else { return nil }
    return zone.position
  }

  private mutating func recordJoining(now: Moment) -> [TrackerAction] {
    guard let zone = network.joined, clock.quality != .none else { return [] }
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
  private mutating func keepKnownPosition(for reason: KeepReason, now: Moment) -> [TrackerAction] {
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
  private mutating func keepPosition(
    of zone: WifiZone, _ asked: KeepReasons, now: Moment
  ) -> [TrackerAction]? {
    guard let time = clock.timestamp(at: now) else { return nil }
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
  private mutating func take(_ time: Timestamp?, _ quality: ClockQuality, now: Moment) -> [TrackerAction] {
    guard clock.quality == .none, network.joined != nil else { return [] }
    guard let time, let changes = fixes.adopt(time, quality: quality, now: now) else {
      fixes.reject(.unknownTime, .time(nil), now: now)
      return []
    }
    let actions = changes.flatMap { act(on: $0, now: now) }
    return request.isExplicit ? actions + (answerByZone(now: now) ?? []) : actions
  }

  // MARK: Requests

  /// Handles a request for a position: the next one is recorded in any mode, and the receiver is woken for it.
  private mutating func requestPosition(now: Moment) -> [TrackerAction] {
    request.askExplicitly()
    if !privacy.isHidden { request.ask(.event) }
    network.expectTime()
    return answerByZone(now: now) ?? notify(.positionRequested, now: now)
  }

  /// Records the next fix because of an event, if a recording rule requires it, and wakes a sleeping receiver for it.
  private mutating func requestPositionForEvents(_ actions: [TrackerAction], now: Moment) -> [TrackerAction] {
    let isAsked = actions.contains { action in
      guard case .keep(let record, _) = action, case .event(let event) = record.body else { return false }
      return event.kind.asksForPosition
    }
    guard isAsked else { return [] }
    ask(.event)
    if let answered = answerByZone(now: now) { return answered }
    // Not during the back-off of a failed search, and not if the position would not be recorded.
    guard recordsPositions, power.stage != .survival, let schedule, !schedule.lacksReception(now: now),
      request.mayWakeForEvent(now: now)
    else { return [] }
    let woken = notify(.positionRequested, now: now)
    if !woken.isEmpty { request.wokeForEvent(now: now) }
    return woken
  }

  /// Requests a record of the next fix for this reason, past the filters. No effect if no locations are recorded.
  private mutating func ask(_ reason: KeepReasons) {
    if recordsPositions, !privacy.isHidden { request.ask(reason) }
  }

  /// Answers a request with the location of the zone; nil if the receiver is required.
  private mutating func answerByZone(now: Moment) -> [TrackerAction]? {
    guard let zone = network.joined, request.isExplicit || recordsPositions && power.stage != .survival
    else { return nil }
    return keepPosition(of: zone, request.reasons.union(.event), now: now)
  }

  /// Answers a request at the end of its search, and records a reconstructed trip that has ended.
  private mutating func finishRequests(now: Moment) -> [TrackerAction] {
    let answered = request.isPending ? answerRequest(now: now) : []
    return places.isReconstructing ? answered + reconstructTrip(now: now) : answered
  }

  /// Records the best fix so far at the end of a search; without any fix the request ends.
  private mutating func answerRequest(now: Moment) -> [TrackerAction] {
    guard let schedule, !schedule.isAcquiring else { return [] }
    if request.best != nil { return recordBestFix(now: now) }
    if schedule.isAsleep, !schedule.isPositionRequested, !power.waitsForPosition { request.giveUp() }
    return []
  }

  /// Records the best fix of a request, because no better one follows.
  private mutating func recordBestFix(now: Moment) -> [TrackerAction] {
    guard let fix = request.best else { return [] }
    receiver.endRequest()
    let reasons = request.reasons
    return keep(location(fix, reasons.isEmpty ? .event : reasons), fix.observation, now: now)
  }

  // MARK: Power

  private mutating func powerTimeout(now: Moment) -> [TrackerAction] {
    guard let due = power.nextTimeout, now >= due else { return [] }
    return act(on: power.handleTimeout(now: now), now: now)
  }

  private mutating func take(_ use: PowerUse, now: Moment) -> [TrackerAction] {
    guard power.review(use, time: clock.timestamp(at: now)) else { return [] }
    saving.isNeeded = true
    var actions = applyPolicy(now: now)
    if power.hasReportableChange() { actions.append(record(EventRecord(power.budget), now: now)) }
    return actions + save(now: now)
  }

  private mutating func act(on changes: [PowerWatch.Action], now: Moment) -> [TrackerAction] {
    var actions: [TrackerAction] = []
    for change in changes {
      switch change {
      case .changed(let before):
        saving.isNeeded = true
        updateProfile()
        let event = record(EventRecord(power.level, from: before, power.cause), now: now)
        let saved = save(now: now)
        actions += [event] + applyPolicy(now: now) + saved
      case .takeLastPosition:
        actions += recordsPositions ? requestPosition(now: now) : act(on: power.positionKept(now: now), now: now)
      case .switchReceiverOff:
        // No better fix follows, and no later one replaces it.
        actions += recordBestFix(now: now)
        request.giveUp()
        receiver.endRequest()
        actions += applyPolicy(now: now)
      }
    }
    return actions
  }

  // MARK: Records

  private func record(_ event: EventRecord, _ urgency: TrackerAction.Urgency = .atOnce, now: Moment)
    -> TrackerAction
  { record(.event(event), urgency, now: now) }

  private func record(_ body: LogRecord.Body, _ urgency: TrackerAction.Urgency = .atOnce, now: Moment)
    -> TrackerAction
  {
    .keep(
      LogRecord(moment: now, time: clock.timestamp(at: now), timeQuality: clock.quality, body: body), urgency)
  }

  /// Records a trip, with the date of its end if the clock is not known.
  private func record(_ trip: TripRecord, now: Moment) -> TrackerAction {
    let time = clock.timestamp(at: now)
    let record = LogRecord(
      moment: now, time: time ?? trip.end.time, timeQuality: time == nil ? .saved : clock.quality,
      body: .trip(trip))
    return .keep(record, .atOnce)
  }

  /// Creates an action record, if tracking statistics are on and a location was recorded.
  private func actionRecord(_ action: ActionRecord.Action, now: Moment) -> [TrackerAction] {
    guard settings.statistics != nil, case .location(let location)? = lastLocation?.body else { return [] }
    return [record(.action(ActionRecord(action, at: location.coordinate, device: device)), now: now)]
  }

  /// Overland's action record of an automatic pause, if Overland's statistics are on.
  private func pauseRecord(_ action: ActionRecord.Action, now: Moment) -> [TrackerAction] {
    settings.statistics?.pauses == true ? actionRecord(action, now: now) : []
  }

  private mutating func reportRejections(now: Moment) -> [TrackerAction] {
    fixes.reportRejections(now: now).map { [record($0, .routine, now: now)] } ?? []
  }

  private mutating func beat(now: Moment) -> [TrackerAction] {
    guard let due = active.rules.heartbeatDue(from: locations.silentSince), now >= due else { return [] }
    locations.beat(now: now)
    // The next fix is recorded because it is overdue.
    ask(.ceiling)
    let age = lastLocation.flatMap { last in
      last.time.flatMap { time in clock.timestamp(at: now).map { $0 - time } }
    }
    return [record(EventRecord(.heartbeat, [.age: age.map { .seconds($0) }]), now: now)]
  }

  // Mutating like its callers: a non-mutating method would copy the whole tracker each time.
  private mutating func location(_ validFix: ValidFix, _ reasons: KeepReasons) -> LogRecord {
    let parked = settings.freezes(ignition: evidence.ignition) ? places.stop.position : nil
    var location = LocationRecord(validFix.fix, at: parked ?? validFix.observation.coordinate, device: device)
    if isQuiet(validFix.observation) || parked != nil {
      location.speedMillimetresPerSecond = 0
      location.courseMillidegrees = nil
      location.courseAccuracyMillidegrees = nil
    }
    location.motion = motionStates(at: validFix.moment, isParked: parked != nil)
    if isTripInProgress { location.trip = places.trips.running?.start }
    location.steps = facts.totalSteps
    location.reasons = reasons
    let inTrip = isTripInProgress ? settings.tripStatistics : nil
    location.statistics = inTrip ?? settings.statistics
    return LogRecord(
      moment: validFix.moment, time: validFix.observation.timestamp, timeQuality: clock.quality,
      body: .location(location))
  }

  // MARK: Privacy

  /// Filters all records; the only exit of the tracker.
  private func disclosed(_ actions: [TrackerAction]) -> [TrackerAction] {
    guard !privacy.isEmpty, !actions.isEmpty else { return actions }
    return actions.compactMap { action in
      guard case .keep(let record, let urgency) = action else { return action }
      return privacy.zones.disclosed(record).map { .keep($0, urgency) }
    }
  }

  /// Discards everything inside a present privacy zone. Requests are answered again after a fix outside.
  private mutating func forgetHidden() {
    privacy.reconsider(places.last ?? fixes.reference)
    guard !privacy.isEmpty else { return }
    if let last = fixes.reference, privacy.hides(last) { fixes.forgetReference() }
    if case .location(let location)? = lastLocation?.body, privacy.hides(location) { locations.forgetLast() }
    if let kept = schedule?.lastKept, privacy.hides(kept.coordinate, accuracy: kept.accuracy) {
      receiver.hidPosition(true)
    }
    let zones = privacy.zones
    places.forget { zones.hides($0) }
  }

  /// True if the record of a fix would reveal a location in a privacy zone: its own, or the parking position.
  private func hidesRecord(of observation: Observation) -> Bool {
    guard !privacy.isEmpty else { return false }
    if privacy.isHidden { return true }
    guard settings.freezes(ignition: evidence.ignition), let parked = places.stop.position else { return false }
    return privacy.hides(parked, accuracy: observation.accuracy)
  }

  // MARK: State

  /// Learned start times are saved after this time, or earlier with other data.
  private static let learningInterval = Duration.seconds(3600)
  /// Longest time without saving the distance of a running trip.
  private static let saveInterval = Duration.seconds(60)

  private mutating func save(now: Moment) -> [TrackerAction] {
    let isDue = isTripInProgress && saving.savedAt.map { now - $0 >= Self.saveInterval } ?? true
    let isLearned = receiver.hasLearned && saving.savedAt.map { now - $0 >= Self.learningInterval } ?? true
    guard saving.isNeeded || places.isUnsaved || isDue || isLearned else { return [] }
    saving = Saving(savedAt: now)
    var state = places.saved(circumstances(now))
    state.wifi = network.side
    state.power = power.level
    state.stretch = power.budget.stretch
    state.steps = totalSteps
    state.driving = driving?.state
    state.fixMotion = motion.reported(now: now)
    receiver.save(to: &state, clock, now: now)
    return [.save(state.text)]
  }

  private mutating func restore(_ text: String, now: Moment) {
    guard let state = TrackerState(text: text, now: now) else { return }
    places.resume(state, circumstances(now))
    if let side = state.wifi { network.resume(side) }
    facts.restore(steps: state.steps ?? 0)
    if let state = state.driving { driving?.resume(state) }
    if let reported = state.fixMotion { motion.resume(after: reported, now: now) }
    power.restore(state.power, stretch: state.stretch, now: now)
    receiver.resume(state, clock, now: now)
    if let offset = clock.datedOffset { places.date(offsetMilliseconds: offset, quality: clock.quality) }
    forgetHidden()
    recallLast()
  }

  // MARK: Deadlines

  /// Tolerated delay of a heartbeat or report.
  private static let reportTolerance = Duration.seconds(30)
  /// Tolerated delay of the end of a trip, an arrival or a zone exit; all of them take minutes.
  private static let positionTolerance = Duration.seconds(15)

  private mutating func updateSummary() {
    places.receiverSleeps(schedule?.isAsleepWhileStationary == true)
    updateTimeouts()
    summary.scheduleTimeout = schedule?.nextTimeout
    summary.receiverState = schedule?.state
    if receiver.mayDefer { summary.latencyBudget = mayDefer ? receiver.latencyBudget : .zero }
    summary.hasCyclicMode = receiver.hasCyclicMode
    summary.isTripRunning = isTripInProgress
    summary.powerStage = power.stage
  }

  private mutating func updateTimeouts() {
    var exact = motion.nextTimeout
    if driving != nil { exact = Moment.earliest(exact, driving?.nextTimeout) }
    var reports = Moment.earliest(
      fixes.rejections.nextTimeout, active.rules.heartbeatDue(from: locations.silentSince))
    reports = Moment.earliest(reports, power.nextTimeout)
    let ofPlaces = places.isWatching || network.nextTimeout != nil ? placeDeadline : nil
    var timeout = Moment.earliest(Moment.earliest(exact, reports), ofPlaces)
    var wake = WakeWindow.joined(
      exact.map { WakeWindow(at: $0) },
      WakeWindow.joined(
        reports.map { WakeWindow(from: $0, orLater: Self.reportTolerance) },
        ofPlaces.map { WakeWindow(from: $0, orLater: Self.positionTolerance) }))
    if let scan = network.scanWindow(schedule) {
      timeout = Moment.earliest(timeout, scan.due)
      wake = WakeWindow.joined(wake, scan)
    }
    if let zone = network.recordTimeout(isTimeKnown: clock.quality != .none) {
      timeout = Moment.earliest(timeout, zone)
      wake = WakeWindow.joined(wake, WakeWindow(from: zone, orLater: Self.positionTolerance))
    }
    (summary.nextTimeout, summary.nextWake) = (timeout, wake)
  }

  private var placeDeadline: Moment? {
    Moment.earliest(places.nextTimeout(evidence, privacy), network.nextTimeout)
  }

  /// True if no input needs the next position immediately: the receiver tracks, and the time is known.
  private var mayDefer: Bool {
    guard clock.quality == .receiver, clock.doubtful == nil, !request.isExplicit, request.reasons.isEmpty
    else { return false }
    return switch summary.receiverState {
    case nil, .tracking?, .cyclic?: true
    case .off?, .backup?, .searching?, .settling?: false
    }
  }

  // MARK: What the parts share

  private func circumstances(_ now: Moment) -> PlaceTracker.Circumstances {
    PlaceTracker.Circumstances(
      settings: settings, evidence: evidence, privacy: privacy,
      dating: clock.datedOffset.map { ($0, clock.quality) }, steps: facts.steps, now: now)
  }

  private var isTripInProgress: Bool { places.trips.isRunning }
  /// True if locations are recorded, even without request.
  private var recordsPositions: Bool { settings.keepsLocations || isTripInProgress }
  /// The present state of the device.
  private var device: DeviceState { facts.device(settings, isHidden: privacy.isHidden) }

  private var derivesMotion: Bool {
    settings.derivesMotion && evidence.sources[.accelerometer] == nil && evidence.motion.isEmpty
  }

  /// True for a speed that records show as 0.
  private func isQuiet(_ observation: Observation) -> Bool {
    settings.quietSpeed.map { observation.speed ?? .infinity < $0 } ?? false
  }

  /// The motion state of a record. `isParked`: the record shows the parking position, without speed.
  private func motionStates(at moment: Moment, isParked: Bool = false) -> MotionStates {
    guard let states = motionBySpeed(at: moment)?.states else { return evidence.motion }
    return isParked ? .stationary : states
  }
}

// MARK: What the owner reads

extension Tracker {
  /// The next deadline, besides ``scheduleTimeout``.
  public var nextTimeout: Moment? { summary.nextTimeout }
  /// The window of the next deadline, with its tolerance.
  public var nextWake: WakeWindow? { summary.nextWake }
  /// The next deadline of the receiver schedule, more exact than the other deadlines.
  public var scheduleTimeout: Moment? { summary.scheduleTimeout }
  /// The state of the receiver that the schedule requires; nil without a schedule: then it is always on.
  public var receiverState: ReceiverState? { summary.receiverState }
  /// Time that the next epochs may wait in a buffer; zero if every epoch is required immediately.
  public var latencyBudget: Duration { summary.latencyBudget }
  /// True if the receiver offers cyclic tracking.
  public var hasCyclicMode: Bool { summary.hasCyclicMode }
  /// True during a trip.
  public var isTripRunning: Bool { summary.isTripRunning }
  /// The power level with its phase.
  public var powerStage: PowerStage { summary.powerStage }

  /// The clock that dates records.
  public var clock: RecordClock { fixes.clock }
  /// The rejected fixes by reason.
  public var rejections: RejectionLedger { fixes.rejections }
  /// Number of processed epochs, with and without position.
  public var epochs: Int64 { fixes.epochs }
  /// Number of locations recorded since the start.
  public var kept: Int64 { locations.count }
  /// The last recorded location.
  public var lastLocation: LogRecord? { locations.last }
  /// The reports of the motion sensors besides the receiver.
  public var evidence: SensedMotion { motion.evidence }
  /// The receiver schedule; nil if the receiver is always on.
  var schedule: ReceiverSchedule? { receiver.schedule }

  /// The profile whose recording rules apply; nil for the ordinary rules.
  public var profile: ProfileCondition? { active.profile }
  /// The last state reported by a gauge; nil without one.
  public var battery: Battery? { facts.battery }
  /// The running trip; nil outside trips.
  public var runningTrip: RunningTrip? { places.trips.running }
  /// Total distance travelled, in mm.
  public var lifetimeMillimetres: Int64 { places.lifetime.millimetres }
  /// Total steps counted; nil without a counter.
  public var totalSteps: Int32? { facts.totalSteps }
  /// True if the network of a Wi-Fi zone is joined and no fix contradicts it.
  public var isInWifiZone: Bool { network.joined != nil }

  /// The last location for a status request: its position and time, with the present battery, network and motion.
  public func current(at now: Moment) -> LogRecord? {
    guard var record = lastLocation, case .location(var location) = record.body else { return nil }
    let device = device
    (location.batteryState, location.batteryPercent) = (device.batteryState, device.batteryPercent)
    (location.wifi, location.motion) = (device.wifi, motionStates(at: now))
    record.body = .location(location)
    return record
  }

  /// The motion state derived from the speed of the fixes, with its confidence. Nil with an accelerometer, without a
  /// known speed, and if the last speed is too old.
  public func motionBySpeed(at moment: Moment) -> SpeedClassifier.Answer? {
    derivesMotion ? facts.motionBySpeed(at: moment) : nil
  }

  /// True if the device moves: by the receiver schedule, or without one by its fixes.
  public var isMoving: Bool { schedule.map(\.isMoving) ?? (places.stop.isStopped == false) }

  /// The sleep inhibitor in effect; nil if the tracker only waits for a deadline or for motion.
  ///
  /// `wakesOnMotion` is true if motion wakes a sleeping host. Otherwise a sensor can start recording only while the host is
  /// awake.
  public func hostSleepInhibitor(wakesOnMotion: Bool) -> HostSleepInhibitor? {
    if isTripRunning { return .trip }
    if evidence.ignition == true || schedule?.isMoving == true { return .motion }
    // Without a schedule the receiver is always on.
    guard let schedule, !schedule.state.isPowered else { return .receiver }
    guard schedule.isAsleepWhileStationary || schedule.sleepCause != nil else { return .motion }
    let isRequired = schedule.policy != .off || driving != nil
    if !wakesOnMotion, isRequired, schedule.hasMotionSensor { return .deafToMotion }
    return nil
  }

  /// The tasks that require the host to be awake.
  public var hostNeeds: [HostNeed] {
    [
      scheduleTimeout.map { HostNeed(.look, at: $0) }, nextTimeout.map { HostNeed(.tracking, at: $0) },
    ].compactMap { $0 }
  }
}
