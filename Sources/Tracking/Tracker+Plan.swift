import Energy
import GNSS
import Quantities
import Records

/// The receiver plan at work: it says when the receiver is awake and which of its fixes are wanted.
extension Tracker {
  mutating func tellPlan(_ event: PlanEvent, now: Moment) -> [TrackerAction] {
    guard plan != nil else { return [] }
    return carryOut(plan?.handle(event, now: now) ?? [], now: now)
  }

  /// The plan hears of each epoch; what the filters held back it must not take for a record.
  mutating func tellPlan(of fix: Fix, mayBeKept: Bool, now: Moment) -> [TrackerAction] {
    guard plan != nil else { return [] }
    if plan?.seeksTime == true, clock.quality != .none { _ = plan?.handle(.timeKnown, now: now) }
    return carryOut(plan?.handle(epoch: fix, mayBeKept: mayBeKept, now: now) ?? [], now: now)
  }

  mutating func planTimeout(now: Moment) -> [TrackerAction] {
    guard let due = plan?.nextTimeout, now >= due else { return [] }
    return carryOut(plan?.handleTimeout(now: now) ?? [], now: now)
  }

  /// Other wishes, or a trip with its own: a plan begins, goes on under new words, or is given up for a receiver that is
  /// always on.
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

  /// Where no positions are wanted that would tell the time, one search does: events are dated by it.
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

  /// Each rest is told once, whatever looks there are in it.
  private mutating func tellRest(until: Moment?, now: Moment) -> [TrackerAction] {
    guard let cause = plan?.sleepCause, cause != toldRest else { return [] }
    toldRest = cause
    let event = EventRecord(
      .receiverResting, [.cause: .text(cause.rawValue), .wake: until.map { .seconds($0 - now) }])
    var told = [keep(event, now: now)]
    guard plan?.isAtRest == true else { return told }
    told += tell(underWay.rest(now: now), now: now)
    told += tellPause(now: now) + pauseRecord(.pausedLocationUpdates, now: now)
    // A trip by hand has a plan that rests only where a pause is to end it.
    guard places.trips.running?.isManual == true else { return told }
    return told + act(on: places.trips.stop(.pause, at: instant(now), now: now), now: now) + save(now: now)
  }

  /// The rest that was told is over.
  private mutating func tellWay(now: Moment) -> [TrackerAction] {
    guard toldRest != nil else { return [] }
    toldRest = nil
    let left = hasLeftFence ? pauseRecord(.exitedPauseRegion, now: now) : []
    return tellResume(now: now) + left + pauseRecord(.resumedLocationUpdates, now: now)
  }

  /// The fix at hand lies outside the fence around the place of the pause.
  private var hasLeftFence: Bool {
    guard let fence = plan?.scheme.resumeDistance, let seen = plan?.lastSighting,
      case .location(let last)? = lastLocation?.body
    else { return false }
    return last.coordinate.distance(to: seen.coordinate) >= fence
  }

  // MARK: The automatic pause

  /// Told once, where recording is to pause at rest.
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

  /// Overland's record of an automatic pause, where the box was told to pause.
  private func pauseRecord(_ action: ActionRecord.Action, now: Moment) -> [TrackerAction] {
    settings.statistics?.pauses == true ? actionRecord(action, now: now) : []
  }

  /// The last place once more: it was not left until then.
  private mutating func keepLastPlace(at moment: Moment, now: Moment) -> [TrackerAction] {
    guard settings.keepsLocations, moment <= now else { return [] }
    guard !isPlanPlaceHidden else {
      rejections.count(.privateZone, value: .hidden, now: now)
      return []
    }
    guard let last = lastLocation, case .location(var location) = last.body else { return [] }
    let time = clock.timestamp(at: moment)
    // So soon after the last record nobody needs another one of the same place.
    if let time, let before = last.time, time - before < ReceiverPlan.shortestStep { return [] }
    // Nobody has measured the speed where the receiver slept.
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
    // What was held back before it stays so.
    reference?.timestamp = time
    reference?.moment = moment
    reference?.speed = 0
    reference?.course = nil
    kept += 1
    return [.keep(record, .routine)]
  }
}

extension KeepReason {
  /// Whether the box is under way with it.
  var isOnTheWay: Bool {
    switch self {
    case .departure, .period, .track, .change: true
    case .first, .arrival, .stay, .wanted: false
    }
  }

  /// What the rules of acquisition make of the plan's word: nil leaves the decision to them.
  var asked: KeepReasons? {
    switch self {
    case .first, .departure, .arrival, .stay: .transition
    case .wanted: .event
    case .period, .track, .change: nil
    }
  }
}
