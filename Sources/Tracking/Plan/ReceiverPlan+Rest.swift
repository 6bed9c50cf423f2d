import Energy
import GNSS
import Quantities

extension ReceiverPlan {
  /// Distance in metres that counts as moved on a device without motion sensor.
  static let blindMetres = 30.0
  /// Length of a stationary period after which reception may have changed.
  static let longRest = Duration.seconds(300)
  /// Longest sleep for which a receiver is kept ready for a hot start.
  static let readyFor = Duration.seconds(2 * 3600)

  /// Shortest time between two position checks made for hints.
  static let pauseBetweenLooks = Duration.seconds(300)

  /// Compares the motion sources with the state in force and acts on a change.
  mutating func weighEvidence(now: Moment) -> [PlanAction] {
    // Before a departure is confirmed, the first silence ends it.
    let moves = isUnderWay ? evidence.isMoving(now: now) : evidence.isRising(now: now)
    guard moves != isMoving, !(moves && vainWakes.isDeaf(now: now) && !isUnderWay) else {
      changeBegan = nil
      return []
    }
    let began = changeBegan ?? now
    changeBegan = began
    guard now >= began + scheme.requiredMotion else { return [] }
    isMoving = moves
    if !moves { stillSince = now }
    return moves ? beginMotion(now: now) : endMotion(now: now)
  }

  private mutating func beginMotion(now: Moment) -> [PlanAction] {
    guard scheme != .off else { return [] }
    if !isUnderWay { motionBegan = now }
    switch phase {
    case .dormant, .following: return []
    case .searching(let errand):
      phase = .searching(errand == .first ? .first : isUnderWay ? .onTheWay : .departure)
      return []
    case .settling(let errand, let settling):
      phase = .settling(errand == .first ? .first : isUnderWay ? .onTheWay : .departure, settling)
      return []
    case .reading:
      phase = .settling(.departure, FixSettling(wanted: scheme.wantedAccuracy))
      return []
    case .asleep:
      if case .sparse(_, let shortest, _) = scheme.moving {
        let due = max(now, lastKept.map { $0.moment + shortest } ?? now)
        guard due <= now else {
          phase = .asleep(.betweenFixes, until: due)
          return [rest(until: due, now: now)]
        }
      }
      if stillSince.map({ now - $0 > Self.longRest }) ?? false { search.encouraged() }
      if let nextLook = search.nextLook, nextLook > now {
        phase = .asleep(.withoutSky(.departure), until: nextLook)
        return [rest(until: nextLook, now: now)]
      }
      if let resumed = resumeWay(now: now) { return resumed }
      return wake(isUnderWay ? .onTheWay : .departure, now: now)
    }
  }

  private mutating func endMotion(now: Moment) -> [PlanAction] {
    switch phase {
    case .dormant, .following, .reading: return []
    case .asleep(let pause, _):
      switch pause {
      case .resting: return []
      case .betweenFixes:
        return isUnderWay ? answerOrWake(.arrival, now: now) : sleepAtRest(now: now)
      case .withoutSky(let errand):
        guard errand.isInMotion else { return [] }
        return isUnderWay ? answerOrWake(.arrival, now: now) : beStill(now: now)
      }
    case .searching(let errand):
      guard errand.isInMotion else { return [] }
      if isUnderWay {
        if let answered = answer(.arrival, now: now) { return answered }
        phase = .searching(.arrival)
        return []
      }
      vainWakes.inVain(now: now)
      return beStill(now: now)
    case .settling(let errand, let settling):
      guard errand.isInMotion else { return [] }
      if isUnderWay {
        phase = .settling(.arrival, settling)
        return []
      }
      vainWakes.inVain(now: now)
      return beStill(now: now)
    }
  }

  /// Ends a false wake-up: the receiver sleeps again, unless a position is requested.
  private mutating func beStill(now: Moment) -> [PlanAction] {
    isAwaited ? lookOn(now: now) : sleepAtRest(now: now)
  }

  /// Records the last fix of a movement.
  mutating func arrive(_ sighting: Sighting, now: Moment) -> [PlanAction] {
    isRestPlaceKnown = sighting.mayBeKept
    return keep(sighting, .arrival) + readOrRest(now: now)
  }

  /// Sleeps, unless reading ephemerides now saves a wake-up soon.
  mutating func readOrRest(now: Moment) -> [PlanAction] {
    guard scheme != .off else { return lieDown(now: now) }
    isUnderWay = false
    sampling = nil
    if case .asMoving = scheme.resting { return follow(cyclic: false, now: now) }
    let age = ephemerides.age(now: now)
    guard age.map({ $0 >= Self.renewalAge }) ?? true else { return sleepAtRest(now: now) }
    phase = .reading(until: now + Self.readingLimit)
    return [.receiver(.tracking, until: now + Self.readingLimit)]
  }

  /// Ends the present activity: sleeps until the next position check, switches off, or continues by the clock.
  mutating func sleepAtRest(now: Moment) -> [PlanAction] {
    guard scheme != .off else { return lieDown(now: now) }
    guard case .asleep(let check, let longest, _) = scheme.resting else { return goOn(now: now) }
    if isUnderWay || restingSince == nil {
      restingSince = now
      checkInterval = nil
    }
    isUnderWay = false
    isMoving = false
    motionBegan = nil
    sampling = nil
    search.abandoned()
    ephemerides.slept()
    evidence.forget(.speed)
    evidence.forget(.displacement)
    asleepSince = now
    let isBlind = !evidence.hasMotionSensor && knownPlace == nil
    let interval = isBlind ? min(check, scheme.blindCheck) : checkInterval ?? check
    var until = now + interval
    if let deafUntil = vainWakes.deafUntil, deafUntil > now { until = min(until, deafUntil) }
    checkInterval = min(interval + interval, longest)
    phase = .asleep(.resting, until: until)
    return [rest(until: until, now: now)]
  }

  /// Continues as while moving, for a policy that does not sleep while stationary.
  private mutating func goOn(now: Moment) -> [PlanAction] {
    switch phase {
    case .dormant, .asleep: return wake(.onTheWay, now: now)
    case .searching:
      phase = .searching(.onTheWay)
      return []
    case .settling(_, let settling):
      phase = .settling(.onTheWay, settling)
      return []
    case .following: return []
    case .reading: return follow(cyclic: false, now: now)
    }
  }

  /// Keeps the interval of the position checks under a new policy, unless the checks become more frequent.
  mutating func adoptChecks(_ new: ReceiverScheme) {
    guard case .asleep(let before, _, _) = scheme.resting,
      case .asleep(let check, let longest, _) = new.resting,
      let interval = checkInterval
    else { return }
    checkInterval = check < before ? nil : min(max(interval, check), longest)
  }

  /// Applies a new policy while stationary. The next position check is not postponed, only advanced.
  mutating func restOn(until: Moment?, now: Moment) -> [PlanAction] {
    guard case .asleep(let check, let longest, _) = scheme.resting, let until else {
      return sleepAtRest(now: now)
    }
    let interval = checkInterval == nil ? check : longest
    checkInterval = checkInterval ?? min(check + check, longest)
    let isBlind = !evidence.hasMotionSensor && knownPlace == nil
    let due = min(until, now + (isBlind ? min(interval, scheme.blindCheck) : interval))
    guard due < until else { return [] }
    phase = .asleep(.resting, until: due)
    return [rest(until: due, now: now)]
  }

  /// Makes a position check now because of a hint, unless another hint caused one shortly before.
  mutating func look(now: Moment) -> [PlanAction] {
    guard mayLook(now: now) else { return [] }
    lookedAt = now
    return answerOrWake(.check, now: now)
  }

  /// True if a hint would cause a position check now.
  func mayLook(now: Moment) -> Bool {
    isAtRest && lookedAt.map { now - $0 >= Self.pauseBetweenLooks } ?? true
  }

  /// Decides by the fix of a position check if the device was moved unnoticed.
  mutating func judgeCheck(_ sighting: Sighting, now: Moment) -> [PlanAction] {
    guard case .asleep(_, _, let metres) = scheme.resting else { return proceed(sighting, now: now) }
    if lastKept == nil, !sighting.isUnderWay {
      // There is no earlier position to compare with.
      isRestPlaceKnown = sighting.mayBeKept
      return keep(sighting, .first) + sleepAtRest(now: now)
    }
    let moved = lastKept.map { $0.certainDistance(to: sighting) } ?? .infinity
    let carriedOff = evidence.hasMotionSensor ? max(metres, Self.blindMetres) : Self.blindMetres
    if sighting.isUnderWay || moved > min(carriedOff, scheme.resumeDistance ?? .infinity) {
      // It counts for its stop delay; after that the speed is known.
      evidence.note(.displacement, isActive: true, now: now)
      evidence.note(.displacement, isActive: false, now: now)
      isMoving = true
      motionBegan = now
      return keep(sighting, .change) + beginWay(sighting, now: now)
    }
    let rested = restingSince.map { now - $0 } ?? .zero
    let age = ephemerides.age(now: now)
    let staysReady = rested < Self.readyFor || !evidence.hasMotionSensor
    guard staysReady, age.map({ $0 >= Self.renewalAge }) ?? true else {
      return sleepAtRest(now: now)
    }
    phase = .reading(until: now + Self.readingLimit)
    return [.receiver(.tracking, until: now + Self.readingLimit)]
  }
}
