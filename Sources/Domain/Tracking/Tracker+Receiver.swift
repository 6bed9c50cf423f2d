import Quantities
import Records
import Scheduling

// What the receiver schedule, requests for a position and the power level cause.
extension Tracker {
  // MARK: The receiver

  mutating func notify(_ event: ReceiverScheduleEvent, now: Moment) -> [TrackerAction] {
    guard receiver.schedule != nil else { return [] }
    return carryOut(receiver.handle(event, now: now), now: now)
  }

  mutating func carryOut(_ actions: [ReceiverScheduleAction], now: Moment) -> [TrackerAction] {
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
  mutating func applyPolicy(now: Moment) -> [TrackerAction] {
    let isByHand = places.trips.running?.isManual
    let affordable = power.affordable(
      settings.policy(inTripByHand: isByHand), isByHand: isByHand == true,
      keepsLocations: settings.keepsLocations)
    guard let policy = affordable else {
      guard receiver.schedule != nil else { return [] }
      let state = receiver.end()
      return reportResume(now: now) + (state == .tracking ? [] : [.receiver(.tracking, until: nil)])
    }
    guard receiver.schedule == nil else {
      receiver.adopt(settings.currents)
      return notify(.policy(policy), now: now) + searchForTime(now: now)
    }
    receiver.start(policy, currents: settings.currents, knownPosition: positionWithoutReceiver)
    var begun: [TrackerAction] = []
    for (source, isActive) in motion.evidence.sources.sorted(by: { $0.key.rawValue < $1.key.rawValue }) {
      begun += notify(.evidence(source, isActive: isActive), now: now)
    }
    begun += notify(receiver.startEvent(at: locations.last), now: now) + searchForTime(now: now)
    if request.isExplicit { begun += notify(.positionRequested, now: now) }
    return begun.isEmpty ? [.receiver(.backup, until: nil)] : begun
  }

  /// Starts one search for the time if no locations are required: events need it for their date.
  mutating func searchForTime(now: Moment) -> [TrackerAction] {
    guard receiver.schedule?.policy == .off, fixes.clock.quality == .none, power.stage != .survival else {
      return []
    }
    return notify(.timeRequested, now: now)
  }

  /// Logs every sleep of the receiver once, however many position checks it contains.
  mutating func reportSleep(until: Moment?, now: Moment) -> [TrackerAction] {
    guard let cause = receiver.reportableSleep() else { return [] }
    let event = EventRecord(
      .receiverAsleep, [.cause: .text(cause.rawValue), .wake: until.map { .seconds($0 - now) }])
    var reported = [record(event, now: now)]
    guard receiver.schedule?.isAsleepWhileStationary == true else { return reported }
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
  mutating func reportWakeUp(now: Moment) -> [TrackerAction] {
    guard receiver.woke() else { return [] }
    let left = hasLeftFence ? pauseRecord(.exitedPauseRegion, now: now) : []
    return reportResume(now: now) + left + pauseRecord(.resumedLocationUpdates, now: now)
  }

  mutating func reportResume(now: Moment) -> [TrackerAction] {
    guard let pause = receiver.resumed(now: now) else { return [] }
    return [record(EventRecord(.trackingResumed, [.duration: .seconds(pause)]), now: now)]
  }

  /// True if the present fix is outside the geofence around the pause position.
  var hasLeftFence: Bool {
    guard let fence = receiver.schedule?.policy.resumeDistance, let seen = receiver.schedule?.lastFix,
      case .location(let last)? = locations.last?.body
    else { return false }
    return last.coordinate.distance(to: seen.coordinate) >= fence
  }

  /// Records the last position again: the device was there until then.
  mutating func keepLastPosition(at moment: Moment, now: Moment) -> [TrackerAction] {
    guard settings.keepsLocations, moment <= now else { return [] }
    guard !receiver.isPositionHidden else {
      fixes.reject(.privateZone, .hidden, now: now)
      return []
    }
    guard let last = locations.last, case .location(var location) = last.body else { return [] }
    let time = fixes.clock.timestamp(at: moment)
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
      moment: moment, time: time, timeQuality: fixes.clock.quality, body: .location(location))
    locations.repeated(record)
    fixes.confirmedReference(at: moment, time)
    return [.keep(record, .routine)]
  }

  // MARK: Requests

  /// Handles a request for a position: the next one is recorded in any mode, and the receiver is woken for it.
  mutating func requestPosition(now: Moment) -> [TrackerAction] {
    request.askExplicitly()
    if !privacy.isHidden { request.ask(.event) }
    network.expectTime()
    return answerByZone(now: now) ?? notify(.positionRequested, now: now)
  }

  /// Records the next fix because of an event, if a recording rule requires it, and wakes a sleeping receiver for it.
  mutating func requestPositionForEvents(_ actions: [TrackerAction], now: Moment) -> [TrackerAction] {
    let isAsked = actions.contains { action in
      guard case .keep(let record, _) = action, case .event(let event) = record.body else { return false }
      return event.kind.definition.effects.contains(.asksForPosition)
    }
    guard isAsked else { return [] }
    ask(.event)
    if let answered = answerByZone(now: now) { return answered }
    // Not during the back-off of a failed search, and not if the position would not be recorded.
    guard recordsPositions, power.stage != .survival, let schedule = receiver.schedule,
      !schedule.lacksReception(now: now),
      request.mayWakeForEvent(now: now)
    else { return [] }
    let woken = notify(.positionRequested, now: now)
    if !woken.isEmpty { request.wokeForEvent(now: now) }
    return woken
  }

  /// Requests a record of the next fix for this reason, past the filters. No effect if no locations are recorded.
  mutating func ask(_ reason: KeepReasons) {
    if recordsPositions, !privacy.isHidden { request.ask(reason) }
  }

  /// Answers a request with the location of the zone; nil if the receiver is required.
  mutating func answerByZone(now: Moment) -> [TrackerAction]? {
    guard let zone = network.joined, request.isExplicit || recordsPositions && power.stage != .survival
    else { return nil }
    return keepPosition(of: zone, request.reasons.union(.event), now: now)
  }

  /// Answers a request at the end of its search, and records a reconstructed trip that has ended.
  mutating func finishRequests(now: Moment) -> [TrackerAction] {
    let answered = request.isPending ? answerRequest(now: now) : []
    return places.isReconstructing ? answered + reconstructTrip(now: now) : answered
  }

  /// Records the best fix so far at the end of a search; without any fix the request ends.
  mutating func answerRequest(now: Moment) -> [TrackerAction] {
    guard let schedule = receiver.schedule, !schedule.isAcquiring else { return [] }
    if request.best != nil { return recordBestFix(now: now) }
    if schedule.isAsleep, !schedule.isPositionRequested, !power.waitsForPosition { request.giveUp() }
    return []
  }

  /// Records the best fix of a request, because no better one follows.
  mutating func recordBestFix(now: Moment) -> [TrackerAction] {
    guard let fix = request.best else { return [] }
    receiver.endRequest()
    let reasons = request.reasons
    return keep(location(fix, reasons.isEmpty ? .event : reasons), fix.observation, now: now)
  }

  // MARK: Power

  mutating func powerTimeout(now: Moment) -> [TrackerAction] {
    guard let due = power.nextTimeout, now >= due else { return [] }
    return act(on: power.handleTimeout(now: now), now: now)
  }

  mutating func take(_ use: PowerUse, now: Moment) -> [TrackerAction] {
    guard power.review(use, time: fixes.clock.timestamp(at: now)) else { return [] }
    saving.require()
    var actions = applyPolicy(now: now)
    if power.hasReportableChange() { actions.append(record(EventRecord(power.budget), now: now)) }
    return actions + save(now: now)
  }

  mutating func act(on changes: [PowerWatch.Action], now: Moment) -> [TrackerAction] {
    var actions: [TrackerAction] = []
    for change in changes {
      switch change {
      case .changed(let before):
        saving.require()
        updateProfile()
        let event = record(EventRecord(power.level, from: before, power.cause), now: now)
        let saved = save(now: now)
        actions += [event] + applyPolicy(now: now) + saved
      case .takeLastPosition:
        actions +=
          recordsPositions ? requestPosition(now: now) : act(on: power.positionKept(now: now), now: now)
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
}
