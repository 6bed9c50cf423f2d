import Energy
import GNSSProtocol
import Quantities
import Records
import Scheduling

/// Connects the tracker with the receiver schedule, which decides when the receiver is on and which fixes are recorded.
extension Tracker {
  mutating func notifySchedule(_ event: ReceiverScheduleEvent, now: Moment) -> [TrackerAction] {
    guard schedule != nil else { return [] }
    return carryOut(schedule?.handle(event, now: now) ?? [], now: now)
  }

  /// Passes an epoch to the schedule. `mayBeKept` is false if a filter rejected it.
  mutating func notifySchedule(of fix: Fix, mayBeKept: Bool, now: Moment) -> [TrackerAction] {
    guard schedule != nil else { return [] }
    if schedule?.searchesForTime == true, clock.quality != .none {
      _ = schedule?.handle(.timeKnown, now: now)
    }
    return carryOut(schedule?.handle(epoch: fix, mayBeKept: mayBeKept, now: now) ?? [], now: now)
  }

  mutating func scheduleTimeout(now: Moment) -> [TrackerAction] {
    guard let due = schedule?.nextTimeout, now >= due else { return [] }
    return carryOut(schedule?.handleTimeout(now: now) ?? [], now: now)
  }

  /// Applies a changed tracking policy, of the settings or a trip: starts a schedule, changes it, or ends it for a
  /// receiver that is always on.
  mutating func applyPolicy(now: Moment) -> [TrackerAction] {
    guard let policy = affordablePolicy else {
      guard let old = schedule else { return [] }
      adoptLearnedData()
      schedule = nil
      let resumed = reportResume(now: now)
      return resumed + (old.state == .tracking ? [] : [.receiver(.tracking, until: nil)])
    }
    guard schedule == nil else {
      schedule?.adopt(settings.currents)
      return notifySchedule(.policy(policy), now: now) + searchForTime(now: now)
    }
    startSchedule(policy)
    var begun: [TrackerAction] = []
    for (source, isActive) in evidence.sources.sorted(by: { $0.key.rawValue < $1.key.rawValue }) {
      begun += notifySchedule(.evidence(source, isActive: isActive), now: now)
    }
    begun += notifySchedule(.started, now: now) + searchForTime(now: now)
    if request.isExplicit { begun += notifySchedule(.positionRequested, now: now) }
    return begun.isEmpty ? [.receiver(.backup, until: nil)] : begun
  }

  /// Starts one search for the time if no locations are required: events need it for their date.
  private mutating func searchForTime(now: Moment) -> [TrackerAction] {
    guard schedule?.policy == .off, clock.quality == .none, power.stage != .survival else { return [] }
    return notifySchedule(.timeRequested, now: now)
  }

  private mutating func carryOut(_ actions: [ReceiverScheduleAction], now: Moment) -> [TrackerAction] {
    var trackerActions: [TrackerAction] = []
    for action in actions {
      switch action {
      case .receiver(let state, let until):
        trackerActions.append(.receiver(state, until: until))
        trackerActions += reportSleep(until: until, now: now)
      case .keep(let reason):
        scheduleKeepReason = reason
        if reason.isMoving { trackerActions += reportWakeUp(now: now) }
      case .keepKnownPosition(let reason): trackerActions += keepKnownPosition(for: reason, now: now)
      case .keepLastPosition(_, let at): trackerActions += keepLastPosition(at: at, now: now)
      }
    }
    return trackerActions
  }

  /// Logs every sleep of the receiver once, however many position checks it contains.
  private mutating func reportSleep(until: Moment?, now: Moment) -> [TrackerAction] {
    guard let cause = schedule?.sleepCause, sleepLog.fellAsleep(cause) else { return [] }
    let event = EventRecord(
      .receiverAsleep, [.cause: .text(cause.rawValue), .wake: until.map { .seconds($0 - now) }])
    var reported = [keep(event, now: now)]
    guard schedule?.isAsleepWhileStationary == true else { return reported }
    reported += reportMotion(fixMotion.stop(now: now), now: now)
    reported += reportPause(now: now) + pauseRecord(.pausedLocationUpdates, now: now)
    // A schedule of a trip by hand sleeps while stationary only if a pause ends the trip.
    guard positions.trips.running?.isManual == true else { return reported }
    return reported + act(on: positions.trips.stop(.pause, at: clock.instant(now), now: now), now: now)
      + save(now: now)
  }

  /// Ends the sleep that was logged.
  private mutating func reportWakeUp(now: Moment) -> [TrackerAction] {
    guard sleepLog.woke() else { return [] }
    let left = hasLeftFence ? pauseRecord(.exitedPauseRegion, now: now) : []
    return reportResume(now: now) + left + pauseRecord(.resumedLocationUpdates, now: now)
  }

  /// True if the present fix is outside the geofence around the pause position.
  private var hasLeftFence: Bool {
    guard let fence = schedule?.policy.resumeDistance, let seen = schedule?.lastFix,
      case .location(let last)? = lastLocation?.body
    else { return false }
    return last.coordinate.distance(to: seen.coordinate) >= fence
  }

  // MARK: The automatic pause

  /// Logs the automatic pause once, if the settings pause recording while stationary.
  private mutating func reportPause(now: Moment) -> [TrackerAction] {
    guard settings.pausesWhileStationary || positions.trips.running?.isManual == true,
      sleepLog.paused(now: now)
    else { return [] }
    return [keep(EventRecord(.trackingPaused, [.cause: "stationary"]), now: now)]
  }

  private mutating func reportResume(now: Moment) -> [TrackerAction] {
    guard let pause = sleepLog.resumed(now: now) else { return [] }
    return [keep(EventRecord(.trackingResumed, [.duration: .seconds(pause)]), now: now)]
  }

  /// Overland's action record of an automatic pause, if Overland's statistics are on.
  private func pauseRecord(_ action: ActionRecord.Action, now: Moment) -> [TrackerAction] {
    settings.statistics?.pauses == true ? actionRecord(action, now: now) : []
  }

  /// Records the last position again: the device was there until then.
  private mutating func keepLastPosition(at moment: Moment, now: Moment) -> [TrackerAction] {
    guard settings.keepsLocations, moment <= now else { return [] }
    guard !isSchedulePositionHidden else {
      rejections.count(.privateZone, value: .hidden, now: now)
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
    lastLocation = record
    // Fixes held back before it are not recorded any more.
    reference?.timestamp = time
    reference?.moment = moment
    reference?.speed = 0
    reference?.course = nil
    kept += 1
    return [.keep(record, .routine)]
  }
}

extension KeepReason {
  /// True if the device is moving with this record.
  var isMoving: Bool {
    switch self {
    case .departure, .period, .track, .change: true
    case .first, .arrival, .stay, .requested: false
    }
  }

  /// The reason for the recording rules; nil leaves the decision to them.
  var asked: KeepReasons? {
    switch self {
    case .first, .departure, .arrival, .stay: .transition
    case .requested: .event
    case .period, .track, .change: nil
    }
  }
}
