import Energy
import GNSS
import Quantities
import Records

/// Connects the tracker with the receiver schedule, which decides when the receiver is on and which fixes are recorded.
extension Tracker {
  mutating func tellPlan(_ event: PlanEvent, now: Moment) -> [TrackerAction] {
    guard plan != nil else { return [] }
    return carryOut(plan?.handle(event, now: now) ?? [], now: now)
  }

  /// Passes an epoch to the schedule. `mayBeKept` is false if a filter rejected it.
  mutating func tellPlan(of fix: Fix, mayBeKept: Bool, now: Moment) -> [TrackerAction] {
    guard plan != nil else { return [] }
    if plan?.seeksTime == true, clock.quality != .none { _ = plan?.handle(.timeKnown, now: now) }
    return carryOut(plan?.handle(epoch: fix, mayBeKept: mayBeKept, now: now) ?? [], now: now)
  }

  mutating func planTimeout(now: Moment) -> [TrackerAction] {
    guard let due = plan?.nextTimeout, now >= due else { return [] }
    return carryOut(plan?.handleTimeout(now: now) ?? [], now: now)
  }

  /// Applies a changed tracking policy, of the settings or a trip: starts a schedule, changes it, or ends it for a
  /// receiver that is always on.
  mutating func adoptPlan(now: Moment) -> [TrackerAction] {
    guard let scheme = affordableScheme else {
      guard let old = plan else { return [] }
      noteLearned()
      plan = nil
      let resumed = tellResume(now: now)
      return resumed + (old.state == .tracking ? [] : [.receiver(.tracking, until: nil)])
    }
    guard plan == nil else {
      plan?.currents = settings.currents
      return tellPlan(.scheme(scheme), now: now) + seekTime(now: now)
    }
    beginPlan(scheme)
    var begun: [TrackerAction] = []
    for (source, isActive) in sensed.sorted(by: { $0.key.rawValue < $1.key.rawValue }) {
      begun += tellPlan(.evidence(source, isActive: isActive), now: now)
    }
    begun += tellPlan(.started, now: now) + seekTime(now: now)
    if keepsNext { begun += tellPlan(.positionWanted, now: now) }
    return begun.isEmpty ? [.receiver(.backup, until: nil)] : begun
  }

  /// Starts one search for the time if no locations are required: events need it for their date.
  private mutating func seekTime(now: Moment) -> [TrackerAction] {
    guard plan?.scheme == .off, clock.quality == .none, power.stage != .survival else { return [] }
    return tellPlan(.timeWanted, now: now)
  }

  private mutating func carryOut(_ actions: [PlanAction], now: Moment) -> [TrackerAction] {
    var wanted: [TrackerAction] = []
    for action in actions {
      switch action {
      case .receiver(let state, let until):
        wanted.append(.receiver(state, until: until))
        wanted += tellRest(until: until, now: now)
      case .keep(let reason):
        planKeeps = reason
        if reason.isOnTheWay { wanted += tellWay(now: now) }
      case .keepKnownPlace(let reason): wanted += keepKnownPlace(for: reason, now: now)
      case .keepLastPlace(_, let at): wanted += keepLastPlace(at: at, now: now)
      }
    }
    return wanted
  }

  /// Logs every sleep of the receiver once, however many position checks it contains.
  private mutating func tellRest(until: Moment?, now: Moment) -> [TrackerAction] {
    guard let cause = plan?.sleepCause, cause != toldRest else { return [] }
    toldRest = cause
    let event = EventRecord(
      .receiverResting, [.cause: .text(cause.rawValue), .wake: until.map { .seconds($0 - now) }])
    var told = [keep(event, now: now)]
    guard plan?.isAtRest == true else { return told }
    told += tell(underWay.rest(now: now), now: now)
    told += tellPause(now: now) + pauseRecord(.pausedLocationUpdates, now: now)
    // A schedule of a trip by hand sleeps while stationary only if a pause ends the trip.
    guard places.trips.running?.isManual == true else { return told }
    return told + act(on: places.trips.stop(.pause, at: instant(now), now: now), now: now) + save(now: now)
  }

  /// Ends the sleep that was logged.
  private mutating func tellWay(now: Moment) -> [TrackerAction] {
    guard toldRest != nil else { return [] }
    toldRest = nil
    let left = hasLeftFence ? pauseRecord(.exitedPauseRegion, now: now) : []
    return tellResume(now: now) + left + pauseRecord(.resumedLocationUpdates, now: now)
  }

  /// True if the present fix is outside the geofence around the pause position.
  private var hasLeftFence: Bool {
    guard let fence = plan?.scheme.resumeDistance, let seen = plan?.lastSighting,
      case .location(let last)? = lastLocation?.body
    else { return false }
    return last.coordinate.distance(to: seen.coordinate) >= fence
  }

  // MARK: The automatic pause

  /// Logs the automatic pause once, if the settings pause recording while stationary.
  private mutating func tellPause(now: Moment) -> [TrackerAction] {
    guard pausedSince == nil, settings.pausesAtRest || places.trips.running?.isManual == true else {
      return []
    }
    pausedSince = now
    return [keep(EventRecord(.trackingPaused, [.cause: "stationary"]), now: now)]
  }

  private mutating func tellResume(now: Moment) -> [TrackerAction] {
    guard let since = pausedSince else { return [] }
    pausedSince = nil
    return [keep(EventRecord(.trackingResumed, [.duration: .seconds(max(now - since, .zero))]), now: now)]
  }

  /// Overland's action record of an automatic pause, if Overland's statistics are on.
  private func pauseRecord(_ action: ActionRecord.Action, now: Moment) -> [TrackerAction] {
    settings.statistics?.pauses == true ? actionRecord(action, now: now) : []
  }

  /// Records the last position again: the device was there until then.
  private mutating func keepLastPlace(at moment: Moment, now: Moment) -> [TrackerAction] {
    guard settings.keepsLocations, moment <= now else { return [] }
    guard !isPlanPlaceHidden else {
      rejections.count(.privateZone, value: .hidden, now: now)
      return []
    }
    guard let last = lastLocation, case .location(var location) = last.body else { return [] }
    let time = clock.timestamp(at: moment)
    // A second record of the same position so soon is unnecessary.
    if let time, let before = last.time, time - before < ReceiverPlan.shortestStep { return [] }
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
  var isOnTheWay: Bool {
    switch self {
    case .departure, .period, .track, .change: true
    case .first, .arrival, .stay, .wanted: false
    }
  }

  /// The reason for the recording rules; nil leaves the decision to them.
  var asked: KeepReasons? {
    switch self {
    case .first, .departure, .arrival, .stay: .transition
    case .wanted: .event
    case .period, .track, .change: nil
    }
  }
}
