import Energy
import Quantities

extension ReceiverSchedule {
  /// Time after which motion counts, even if no speed confirms it.
  static let unconfirmedMotion = Duration.seconds(6)
  /// Longest stop at level S after which a departure requires no separate fix.
  static let shortStop = Duration.seconds(280)
  /// Longest interval at level S between records of a receiver that remains awake.
  static let longestLeg = Duration.seconds(8)
  /// Time at level S after which a receiver that remained awake may sleep.
  static let watch = Duration.seconds(8)

  /// Shortest time between two records.
  package static let shortestStep = Duration.seconds(1)

  /// Shortest time between leaving cyclic tracking and entering it again. Each change is a command, and a receiver
  /// needs some epochs to settle.
  static let cyclicModePause = Duration.seconds(60)

  /// Decides by a settled fix if the motion is a departure.
  mutating func confirmDeparture(_ fix: ScheduleFix, now: Moment) -> [ReceiverScheduleAction] {
    let began = motionBegan ?? now
    // The next epoch decides again.
    guard confirmsMotion(fix, now: now) else { return [] }
    falseWakeUps.confirmed()
    if let stationarySince, now - stationarySince > Self.shortStop { recentSpeed = 0 }
    var actions: [ReceiverScheduleAction] = []
    // This fix shows the position now; a second before, the device was still at the last one.
    if isStopPositionKnown {
      actions.append(.keepLastPosition(.stay, at: min(began, now - Self.shortestStep)))
    }
    actions += keep(fix, .departure)
    return actions + beginLeg(fix, now: now)
  }

  private func confirmsMotion(_ fix: ScheduleFix, now: Moment) -> Bool {
    let isAway = lastKept.map { $0.certainDistance(to: fix) > 0 } ?? true
    return fix.isTravelling || isAway || now - (motionBegan ?? now) >= Self.unconfirmedMotion
  }

  /// Resumes a leg at level S after a short stop at a recorded position. The leg continues from there, and the next fix
  /// is sufficient.
  mutating func resumeLeg(now: Moment) -> [ReceiverScheduleAction]? {
    guard case .within(let metres) = policy.moving, isStopPositionKnown, var position = lastKept,
      let stationarySince, now - stationarySince < Self.shortStop, areEphemeridesFresh(now)
    else { return nil }
    position.moment = now
    position.velocity = GroundVector(north: 0, east: 0)
    var sampling = TrackSampling(bound: metres, curvature: curvature, recentSpeed: recentSpeed)
    sampling.begin(position)
    self.sampling = sampling
    lastKept = position
    isTravelling = true
    isStopPositionKnown = false
    motionBegan = nil
    self.stationarySince = nil
    checkInterval = nil
    return [.keepLastPosition(.stay, at: now)]
      + sleep(.betweenFixes, until: now + .seconds(sampling.interval), now: now)
  }

  /// Starts a leg with this fix.
  mutating func beginLeg(_ fix: ScheduleFix, now: Moment) -> [ReceiverScheduleAction] {
    isTravelling = true
    isStopPositionKnown = false
    stationarySince = nil
    checkInterval = nil
    motionBegan = nil
    switch policy.moving {
    case .none: return readOrSleep(now: now)
    case .everySecond: return follow(cyclic: usesCyclicMode && areEphemeridesFresh(now), now: now)
    case .within(let metres):
      var sampling = TrackSampling(bound: metres, curvature: curvature, recentSpeed: recentSpeed)
      sampling.begin(fix)
      self.sampling = sampling
      return pauseOrFollow(sampling, now: now)
    case .sparse: return proceed(fix, now: now)
    }
  }

  /// Handles a fix while moving.
  mutating func proceed(_ fix: ScheduleFix, now: Moment) -> [ReceiverScheduleAction] {
    guard isMoving || policy.stationary == .asMoving else {
      return fix.mayBeKept ? arrive(fix, now: now) : awaitArrival(now: now)
    }
    isTravelling = true
    switch policy.moving {
    case .none: return readOrSleep(now: now)
    case .everySecond:
      let isDue = lastKept.map { now - $0.moment >= .milliseconds(900) } ?? true
      let kept = isDue ? keep(fix, .period) : []
      return kept + follow(cyclic: usesCyclicMode && areEphemeridesFresh(now), now: now)
    case .within(let metres):
      guard var sampling else { return keep(fix, .track) + beginLeg(fix, now: now) }
      guard fix.mayBeKept else {
        if case .following = phase { return [] }
        return pauseOrFollow(sampling, now: now)
      }
      if case .following = phase, let lastKept, now - lastKept.moment < Self.longestLeg,
        sampling.drift(of: fix) < metres / 3
      {
        return []
      }
      sampling.advance(fix)
      self.sampling = sampling
      curvature = sampling.curvature
      recentSpeed = sampling.recentSpeed
      return keep(fix, .track) + pauseOrFollow(sampling, now: now)
    case .sparse(let metres, let shortest, let check):
      let moved = lastKept.map { $0.coordinate.distance(to: fix.coordinate) } ?? .infinity
      let kept =
        moved >= metres ? keep(fix, .change) : isPositionRequested ? keep(fix, .requested) : []
      let left = kept.isEmpty ? max(metres - moved, 0) : metres
      let wait = Duration.seconds(left / max(fix.speed, 1))
      return kept + sleep(.betweenFixes, until: now + min(max(wait, shortest), check), now: now)
    }
  }

  /// Waits for a better fix at the end of a leg, because the last one must not be recorded.
  private mutating func awaitArrival(now: Moment) -> [ReceiverScheduleAction] {
    if case .following(cyclic: true, _) = phase { leftCyclicModeAt = now }
    phase = .settling(.arrival, FixSettling(accuracy: policy.edgeAccuracy))
    return [.receiver(.settling, until: nil)]
  }

  /// Sleeps after a record at level S until the next fix is due, or remains awake if that costs less charge.
  private mutating func pauseOrFollow(_ sampling: TrackSampling, now: Moment) -> [ReceiverScheduleAction] {
    let interval = Duration.seconds(sampling.interval)
    guard areEphemeridesFresh(now) else { return follow(cyclic: false, now: now) }
    let start = starts.expected(.hot, asleep: interval)
    let depth = SleepDepth.cheapest(
      interval: interval, timeToFix: start, settling: settleTime, currents: currents,
      cyclic: usesCyclicMode)
    switch depth {
    case .keepTracking: return follow(cyclic: false, now: now)
    case .cyclic: return follow(cyclic: true, now: now)
    case .backup, .off:
      if case .following(_, let since) = phase, now - since < Self.watch { return [] }
      return sleep(.betweenFixes, until: now + interval - start - settleTime, now: now)
    }
  }

  private mutating func sleep(_ pause: ReceiverSleep, until: Moment, now: Moment) -> [ReceiverScheduleAction]
  {
    ephemerides.slept()
    asleepSince = now
    // The last speed becomes outdated; a sensor that detects this motion reports its end sooner.
    if evidence.isActive(.accelerometer) || evidence.isActive(.ignition) { evidence.forget(.speed) }
    phase = .asleep(pause, until: until)
    return [sleep(until: until, now: now)]
  }

  mutating func follow(cyclic isDesired: Bool, now: Moment) -> [ReceiverScheduleAction] {
    let cyclic = isDesired && leftCyclicModeAt.map { now - $0 >= Self.cyclicModePause } ?? true
    if case .following(cyclic: true, _) = phase, !cyclic { leftCyclicModeAt = now }
    if case .following(cyclic, _) = phase { return [] }
    var since = now
    if case .following(_, let earlier) = phase { since = earlier }
    phase = .following(cyclic: cyclic, since: since)
    return [.receiver(cyclic ? .cyclic : .tracking, until: nil)]
  }

  private var usesCyclicMode: Bool { policy.usesCyclicMode && hasCyclicMode }

  private func areEphemeridesFresh(_ now: Moment) -> Bool {
    ephemerides.age(now: now).map { $0 < Self.renewalAge } ?? false
  }
}
