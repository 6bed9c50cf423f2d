import Energy
import Quantities

extension ReceiverSchedule {
  /// Distance in metres that counts as moved on a device without motion sensor.
  static let metresWithoutSensor = 30.0
  /// Length of a stationary period after which reception may have changed.
  static let longStop = Duration.seconds(300)
  /// Longest sleep for which a receiver is kept ready for a hot start.
  static let readyFor = Duration.seconds(2 * 3600)

  /// Shortest time between two position checks made for hints.
  static let pauseBetweenChecks = Duration.seconds(300)

  /// Compares the motion sources with the state in force and acts on a change.
  mutating func weighEvidence(now: Moment) -> [ReceiverScheduleAction] {
    // Before a departure is confirmed, the first silence ends it.
    let moves = isTravelling ? evidence.isMoving(now: now) : evidence.isRising(now: now)
    guard moves != isMoving, !(moves && falseWakeUps.isIgnoringMotion(now: now) && !isTravelling) else {
      changeBegan = nil
      return []
    }
    let began = changeBegan ?? now
    changeBegan = began
    guard now >= began + policy.requiredMotion else { return [] }
    isMoving = moves
    if !moves { quietSince = now }
    return moves ? beginMotion(now: now) : endMotion(now: now)
  }

  private mutating func beginMotion(now: Moment) -> [ReceiverScheduleAction] {
    guard policy != .off else { return [] }
    if !isTravelling { motionBegan = now }
    switch phase {
    case .dormant, .following: return []
    case .searching(let wakeReason):
      phase = .searching(wakeReason == .first ? .first : isTravelling ? .moving : .departure)
      return []
    case .settling(let wakeReason, let settling):
      phase = .settling(wakeReason == .first ? .first : isTravelling ? .moving : .departure, settling)
      return []
    case .reading:
      phase = .settling(.departure, FixSettling(accuracy: policy.requiredAccuracy))
      return []
    case .asleep:
      if case .sparse(_, let shortest, _) = policy.moving {
        let due = max(now, lastKept.map { $0.moment + shortest } ?? now)
        guard due <= now else {
          phase = .asleep(.betweenFixes, until: due)
          return [sleep(until: due, now: now)]
        }
      }
      if quietSince.map({ now - $0 > Self.longStop }) ?? false { search.encouraged() }
      if let nextSearch = search.nextSearch, nextSearch > now {
        phase = .asleep(.withoutReception(.departure), until: nextSearch)
        return [sleep(until: nextSearch, now: now)]
      }
      if let resumed = resumeLeg(now: now) { return resumed }
      return wake(isTravelling ? .moving : .departure, now: now)
    }
  }

  private mutating func endMotion(now: Moment) -> [ReceiverScheduleAction] {
    switch phase {
    case .dormant, .following, .reading: return []
    case .asleep(let pause, _):
      switch pause {
      case .stationary: return []
      case .betweenFixes:
        return isTravelling ? answerOrWake(.arrival, now: now) : sleepWhileStationary(now: now)
      case .withoutReception(let wakeReason):
        guard wakeReason.isInMotion else { return [] }
        return isTravelling ? answerOrWake(.arrival, now: now) : endFalseWakeUp(now: now)
      }
    case .searching(let wakeReason):
      guard wakeReason.isInMotion else { return [] }
      if isTravelling {
        if let answered = answer(.arrival, now: now) { return answered }
        phase = .searching(.arrival)
        return []
      }
      falseWakeUps.record(now: now)
      return endFalseWakeUp(now: now)
    case .settling(let wakeReason, let settling):
      guard wakeReason.isInMotion else { return [] }
      if isTravelling {
        phase = .settling(.arrival, settling)
        return []
      }
      falseWakeUps.record(now: now)
      return endFalseWakeUp(now: now)
    }
  }

  /// Ends a false wake-up: the receiver sleeps again, unless a position is requested.
  private mutating func endFalseWakeUp(now: Moment) -> [ReceiverScheduleAction] {
    isPositionRequested ? continueSearch(now: now) : sleepWhileStationary(now: now)
  }

  /// Records the last fix of a movement.
  mutating func arrive(_ fix: ScheduleFix, now: Moment) -> [ReceiverScheduleAction] {
    isStopPositionKnown = fix.mayBeKept
    return keep(fix, .arrival) + readOrSleep(now: now)
  }

  /// Sleeps, unless reading ephemerides now saves a wake-up soon.
  mutating func readOrSleep(now: Moment) -> [ReceiverScheduleAction] {
    guard policy != .off else { return becomeDormant(now: now) }
    isTravelling = false
    sampling = nil
    if case .asMoving = policy.stationary { return follow(cyclic: false, now: now) }
    let age = ephemerides.age(now: now)
    guard age.map({ $0 >= Self.renewalAge }) ?? true else { return sleepWhileStationary(now: now) }
    phase = .reading(until: now + Self.readingLimit)
    return [.receiver(.tracking, until: now + Self.readingLimit)]
  }

  /// Ends the present activity: sleeps until the next position check, switches off, or continues by the clock.
  mutating func sleepWhileStationary(now: Moment) -> [ReceiverScheduleAction] {
    guard policy != .off else { return becomeDormant(now: now) }
    guard case .asleep(let check, let longest, _) = policy.stationary else {
      return continueAsMoving(now: now)
    }
    if isTravelling || stationarySince == nil {
      stationarySince = now
      checkInterval = nil
    }
    isTravelling = false
    isMoving = false
    motionBegan = nil
    sampling = nil
    search.abandoned()
    ephemerides.slept()
    evidence.forget(.speed)
    evidence.forget(.displacement)
    asleepSince = now
    let lacksMotionSensor = !evidence.hasMotionSensor && knownPosition == nil
    let interval = lacksMotionSensor ? min(check, policy.checkIntervalWithoutSensor) : checkInterval ?? check
    var until = now + interval
    if let ignoredUntil = falseWakeUps.ignoredUntil, ignoredUntil > now { until = min(until, ignoredUntil) }
    checkInterval = min(interval + interval, longest)
    phase = .asleep(.stationary, until: until)
    return [sleep(until: until, now: now)]
  }

  /// Continues as while moving, for a policy that does not sleep while stationary.
  private mutating func continueAsMoving(now: Moment) -> [ReceiverScheduleAction] {
    switch phase {
    case .dormant, .asleep: return wake(.moving, now: now)
    case .searching:
      phase = .searching(.moving)
      return []
    case .settling(_, let settling):
      phase = .settling(.moving, settling)
      return []
    case .following: return []
    case .reading: return follow(cyclic: false, now: now)
    }
  }

  /// Keeps the interval of the position checks under a new policy, unless the checks become more frequent.
  mutating func adoptChecks(_ new: TrackingPolicy) {
    guard case .asleep(let before, _, _) = policy.stationary,
      case .asleep(let check, let longest, _) = new.stationary,
      let interval = checkInterval
    else { return }
    checkInterval = check < before ? nil : min(max(interval, check), longest)
  }

  /// Applies a new policy while stationary. The next position check is not postponed, only advanced.
  mutating func continueSleep(until: Moment?, now: Moment) -> [ReceiverScheduleAction] {
    guard case .asleep(let check, let longest, _) = policy.stationary, let until else {
      return sleepWhileStationary(now: now)
    }
    let interval = checkInterval == nil ? check : longest
    checkInterval = checkInterval ?? min(check + check, longest)
    let lacksMotionSensor = !evidence.hasMotionSensor && knownPosition == nil
    let due = min(
      until, now + (lacksMotionSensor ? min(interval, policy.checkIntervalWithoutSensor) : interval))
    guard due < until else { return [] }
    phase = .asleep(.stationary, until: due)
    return [sleep(until: due, now: now)]
  }

  /// Makes a position check now because of a hint, unless another hint caused one shortly before.
  mutating func checkPosition(now: Moment) -> [ReceiverScheduleAction] {
    guard mayCheckPosition(now: now) else { return [] }
    lastHintCheck = now
    return answerOrWake(.check, now: now)
  }

  /// True if a hint would cause a position check now.
  package func mayCheckPosition(now: Moment) -> Bool {
    isAsleepWhileStationary && lastHintCheck.map { now - $0 >= Self.pauseBetweenChecks } ?? true
  }

  /// Decides by the fix of a position check if the device was moved unnoticed.
  mutating func evaluatePositionCheck(_ fix: ScheduleFix, now: Moment) -> [ReceiverScheduleAction] {
    guard case .asleep(_, _, let metres) = policy.stationary else { return proceed(fix, now: now) }
    if lastKept == nil, !fix.isTravelling {
      // There is no earlier position to compare with.
      isStopPositionKnown = fix.mayBeKept
      return keep(fix, .first) + sleepWhileStationary(now: now)
    }
    let moved = lastKept.map { $0.certainDistance(to: fix) } ?? .infinity
    let moveDistance =
      evidence.hasMotionSensor ? max(metres, Self.metresWithoutSensor) : Self.metresWithoutSensor
    if fix.isTravelling || moved > min(moveDistance, policy.resumeDistance ?? .infinity) {
      // It counts for its stop delay; after that the speed is known.
      evidence.record(.displacement, isActive: true, now: now)
      evidence.record(.displacement, isActive: false, now: now)
      isMoving = true
      motionBegan = now
      return keep(fix, .change) + beginLeg(fix, now: now)
    }
    let stationaryTime = stationarySince.map { now - $0 } ?? .zero
    let age = ephemerides.age(now: now)
    let keepsHotStart = stationaryTime < Self.readyFor || !evidence.hasMotionSensor
    guard keepsHotStart, age.map({ $0 >= Self.renewalAge }) ?? true else {
      return sleepWhileStationary(now: now)
    }
    phase = .reading(until: now + Self.readingLimit)
    return [.receiver(.tracking, until: now + Self.readingLimit)]
  }
}
