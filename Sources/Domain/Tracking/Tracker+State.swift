import Quantities
import Records
import Scheduling

// The start and the end of the program, and the state that survives a restart.
extension Tracker {
  // MARK: Start and stop

  mutating func start(
    _ lastLocation: LogRecord?, _ previousRun: EventFields, _ resumption: Resumption?, now: Moment
  ) -> [TrackerAction] {
    resume(after: lastLocation)
    places.reconcile(lastRecord: lastLocation?.time)
    var dated: [TrackerAction] = []
    if let sleep = receiver.continueSleep(resumption, isTimeKnown: fixes.clock.quality != .none) {
      if let silence = sleep.silence { locations.resumed(silence: silence, now: now) }
      if let time = sleep.time, fixes.clock.quality == .none {
        dated = (fixes.adopt(time, quality: .clockChip, now: now) ?? []).flatMap { act(on: $0, now: now) }
      }
    }
    locations.began(now: now)
    updateProfile()
    let fields = EventFields([.version: .text(Release.version)]).merging(previousRun)
    var actions = [record(EventRecord(.started, fields), now: now)]
    // The master switch may have gone off while the program was not running.
    if !settings.isTracking, isTripInProgress {
      actions += act(
        on: places.endTripWhereSeenLast(at: fixes.clock.instant(now), circumstances(now)), now: now)
      actions += save(now: now)
    }
    return dated + actions + act(on: network.begin(now: now), now: now) + applyPolicy(now: now)
  }

  mutating func resume(after last: LogRecord?) {
    // Fixes received before the log was open have set their own reference.
    guard fixes.reference == nil, let last, case .location(let location) = last.body, last.time != nil else {
      return
    }
    guard !privacy.hides(location) else { return privacy.assumeHidden() }
    locations.resume(after: last)
    var observation = Observation(timestamp: last.time, moment: nil, coordinate: location.coordinate)
    observation.accuracy = location.horizontalAccuracyMillimetres.map { Double($0) / 1000 }
    fixes.resume(after: observation)
    recallLast()
  }

  mutating func recallLast() {
    guard let time = locations.last?.time, case .location(let location)? = locations.last?.body else {
      return
    }
    places.recall(TripRecord.Location(location, time: .utc(time)))
  }

  mutating func stop(now: Moment) -> [TrackerAction] {
    var actions = fixes.releaseCredible(now: now).map { take($0, now: now) } ?? []
    actions += recordBestFix(now: now) + reportRejections(now: now)
    if settings.needsPositions || !settings.wifiZones.isEmpty || isTripInProgress || facts.steps != nil
      || motion.isReported || receiver.schedule != nil || power.level != .normal
      || power.budget.intervalFactor > 1
    {
      saving.require()
    }
    actions += actionRecord(.willTerminate, now: now) + save(now: now)
    return actions + [record(EventRecord(.stopped), now: now)]
  }

  /// The host is about to sleep: what waits for a report or for the next save is recorded now.
  mutating func hostSleeps(_ event: EventRecord, now: Moment) -> [TrackerAction] {
    saving.require()
    receiver.hostSleeps(fixes.clock, silentSince: locations.silentSince, now: now)
    return reportRejections(now: now) + [record(event, now: now)] + save(now: now)
  }

  // MARK: State

  mutating func save(now: Moment) -> [TrackerAction] {
    let isDue = saving.isDue(isInTrip: isTripInProgress, hasLearned: receiver.hasLearned, now: now)
    guard isDue || places.isUnsaved else { return [] }
    saving.saved(now: now)
    var state = places.saved(circumstances(now))
    state.wifi = network.side
    state.power = power.level
    state.intervalFactor = power.budget.intervalFactor
    state.steps = facts.totalSteps
    state.driving = driving?.state
    state.fixMotion = motion.reported(now: now)
    receiver.save(to: &state, fixes.clock, silentSince: locations.silentSince, now: now)
    return [.save(state.text)]
  }

  mutating func restore(_ text: String, now: Moment) {
    guard let state = TrackerState(text: text, now: now) else { return }
    places.resume(state, circumstances(now))
    if let side = state.wifi { network.resume(side) }
    facts.restore(steps: state.steps ?? 0)
    if let state = state.driving { driving?.resume(state) }
    if let reported = state.fixMotion { motion.resume(after: reported, now: now) }
    power.restore(state.power, intervalFactor: state.intervalFactor, now: now)
    receiver.resume(state, fixes.clock, now: now)
    if let offset = fixes.clock.datedOffset {
      places.date(offsetMilliseconds: offset, quality: fixes.clock.quality)
    }
    forgetHidden()
    recallLast()
  }
}
