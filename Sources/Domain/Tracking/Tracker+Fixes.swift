import GNSSProtocol
import Quantities
import Records

// The way of a fix to a record, the records themselves, and what privacy zones leave of them.
extension Tracker {
  // MARK: Fixes

  mutating func handle(_ fix: Fix, _ system: SystemTime, now: Moment) -> [TrackerAction] {
    receiver.take(fix)
    let epoch = fixes.read(fix, system, now: now)
    var actions: [TrackerAction] = []
    for change in epoch.changes { actions += act(on: change, now: now) }
    if let confirmed = epoch.confirmed { actions += take(confirmed, now: now) }
    guard let fix = epoch.fix else { return actions }
    return actions.isEmpty ? take(fix, now: now) : actions + take(fix, now: now)
  }

  mutating func act(on change: FixPipeline.ClockChange, now: Moment) -> [TrackerAction] {
    switch change {
    case .lost(let pause): return [record(EventRecord(.clockLost, [.age: .seconds(pause)]), now: now)]
    case .returned(let step):
      return [record(EventRecord(.clockSourceChanged, [.step: .integer(step)]), now: now)]
    case .known(let time, let offset, let lastRecord):
      receiver.recallEphemerides(fixes.clock, now: now)
      if let lastRecord { locations.date(lastRecord, fixes.clock.quality) }
      places.date(offsetMilliseconds: offset, quality: fixes.clock.quality)
      let event = EventRecord(
        .clockSet, [.time: .integer(time.milliseconds), .cause: fixes.clock.quality.source])
      return [.date(offsetMilliseconds: offset), record(event, now: now)]
    case .stepped(let milliseconds):
      return [record(EventRecord(.clockStepped, [.step: .integer(milliseconds)]), now: now)]
    case .weekRepaired(let days):
      return [record(EventRecord(.weekRepaired, [.days: .integer(days)]), now: now)]
    case .dateRefused(let date):
      return [record(EventRecord(.dateRefused, [.time: .integer(date.milliseconds)]), now: now)]
    case .redated(let offset): return [.date(offsetMilliseconds: offset)]
    }
  }

  mutating func take(_ dated: FixPipeline.DatedFix, now: Moment) -> [TrackerAction] {
    receiver.beginFix()
    var actions: [TrackerAction] = []
    if network.hasZones, let position = dated.fix.position {
      let accuracy = dated.fix.accuracy
      let outcomes = network.compare(position, accuracy: accuracy, now: now)
      actions += act(on: outcomes, fix: (position, accuracy), now: now)
    }
    let choice = fixes.screen(
      dated, known: network.joined?.position,
      limits: .init(maxAccuracy: settings.maxAccuracy, retryWindow: settings.accuracyRetryWindow),
      evidence: motion.evidence, isRequested: !request.reasons.isEmpty, last: places.last, now: now)
    let departure = departure
    let planned = carryOut(
      receiver.handle(
        epoch: dated.fix, mayBeKept: choice.fix != nil, isTimeKnown: fixes.clock.quality != .none, now: now),
      now: now)
    actions += planned
    // The position before the departure is recorded before the fix that confirms it, and may be younger than that fix.
    guard let chosen = choice.fix, planned.isEmpty || fixes.admits(chosen.observation, now: now) else {
      return actions
    }
    // A schedule plans the present fix alone.
    if receiver.schedule == nil {
      for earlier in choice.earlier { actions += accept(earlier, departure, now: now) }
    }
    let accepted = accept(chosen, departure, now: now)
    return actions.isEmpty ? accepted : actions + accepted
  }

  /// Processes a fix that passed the filters.
  mutating func accept(
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
      if settings.trips.followsMotion { places.follow(motionStates(at: validFix.moment)) }
      if let (outcomes, isTransition) = places.take(observation, circumstances(now)) {
        actions += act(on: outcomes, now: now)
        updateProfile()
        let isProfileNew = active.takeNews()
        actions += save(now: now)
        if isTransition || isProfileNew, active.rules.reactsToTransitions { asked.insert(.transition) }
      }
    } else {
      places.forgetStop(settings)
      if settings.freezesWithIgnitionOff, motion.evidence.ignition != nil {
        places.follow(observation, motion.evidence, now: now)
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
    if receiver.schedule != nil {
      if let reason = receiver.keepReason {
        if let reasons = reason.asked { asked.formUnion(reasons) }
      } else if asked.isEmpty || receiver.schedule?.isAcquiring == true {
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
  mutating func decide(on validFix: ValidFix, _ asked: KeepReasons, now: Moment) -> [TrackerAction] {
    let observation = validFix.observation
    if asked.isEmpty, validFix.fix.accuracySource == .wifiZone,
      let pause = locations.repetition(of: observation.coordinate, now: now)
    {
      buffer(validFix)
      fixes.reject(.minTime, .pause(pause), now: now)
      return []
    }
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

  mutating func buffer(_ validFix: ValidFix) {
    guard places.trips.isBuffering else { return }
    places.buffer(validFix.observation, record: location(validFix, .beginning), isKept: false)
  }

  /// Records a location; it becomes the reference of all rules.
  mutating func keep(
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

  // MARK: Records

  func record(_ event: EventRecord, _ urgency: TrackerAction.Urgency = .atOnce, now: Moment)
    -> TrackerAction
  { record(.event(event), urgency, now: now) }

  func record(_ body: LogRecord.Body, _ urgency: TrackerAction.Urgency = .atOnce, now: Moment)
    -> TrackerAction
  {
    .keep(
      LogRecord(
        moment: now, time: fixes.clock.timestamp(at: now), timeQuality: fixes.clock.quality, body: body),
      urgency)
  }

  /// Records a trip, with the date of its end if the clock is not known.
  func record(_ trip: TripRecord, now: Moment) -> TrackerAction {
    let time = fixes.clock.timestamp(at: now)
    let record = LogRecord(
      moment: now, time: time ?? trip.end.time, timeQuality: time == nil ? .saved : fixes.clock.quality,
      body: .trip(trip))
    return .keep(record, .atOnce)
  }

  /// Creates an action record, if tracking statistics are on and a location was recorded.
  func actionRecord(_ action: ActionRecord.Action, now: Moment) -> [TrackerAction] {
    guard settings.statistics != nil, case .location(let location)? = locations.last?.body else { return [] }
    return [record(.action(ActionRecord(action, at: location.coordinate, device: device)), now: now)]
  }

  /// Overland's action record of an automatic pause, if Overland's statistics are on.
  func pauseRecord(_ action: ActionRecord.Action, now: Moment) -> [TrackerAction] {
    settings.statistics?.pauses == true ? actionRecord(action, now: now) : []
  }

  mutating func reportRejections(now: Moment) -> [TrackerAction] {
    fixes.reportRejections(now: now).map { [record($0, .routine, now: now)] } ?? []
  }

  mutating func beat(now: Moment) -> [TrackerAction] {
    guard let due = active.rules.heartbeatDue(from: locations.silentSince), now >= due else { return [] }
    locations.beat(now: now)
    // The next fix is recorded because it is overdue.
    ask(.ceiling)
    let age = locations.last.flatMap { last in
      last.time.flatMap { time in fixes.clock.timestamp(at: now).map { $0 - time } }
    }
    return [record(EventRecord(.heartbeat, [.age: age.map { .seconds($0) }]), now: now)]
  }

  // Mutating like its callers: a non-mutating method would copy the whole tracker each time.
  mutating func location(_ validFix: ValidFix, _ reasons: KeepReasons) -> LogRecord {
    let parked = settings.freezes(ignition: motion.evidence.ignition) ? places.stop.position : nil
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
      moment: validFix.moment, time: validFix.observation.timestamp, timeQuality: fixes.clock.quality,
      body: .location(location))
  }

  // MARK: Privacy

  /// Discards everything inside a present privacy zone. Requests are answered again after a fix outside.
  mutating func forgetHidden() {
    privacy.reconsider(places.last ?? fixes.reference)
    guard !privacy.isEmpty else { return }
    if let last = fixes.reference, privacy.hides(last) { fixes.forgetReference() }
    if case .location(let location)? = locations.last?.body, privacy.hides(location) {
      locations.forgetLast()
    }
    if let kept = receiver.schedule?.lastKept, privacy.hides(kept.coordinate, accuracy: kept.accuracy) {
      receiver.hidPosition(true)
    }
    let zones = privacy.zones
    places.forget { zones.hides($0) }
  }

  /// True if the record of a fix would reveal a location in a privacy zone: its own, or the parking position.
  mutating func hidesRecord(of observation: Observation) -> Bool {
    guard !privacy.isEmpty else { return false }
    if privacy.isHidden { return true }
    guard settings.freezes(ignition: motion.evidence.ignition), let parked = places.stop.position else {
      return false
    }
    return privacy.hides(stop: parked) || privacy.hides(parked, accuracy: observation.accuracy)
  }
}
