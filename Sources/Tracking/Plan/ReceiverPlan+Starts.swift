import Energy
import GNSS
import Quantities

extension ReceiverPlan {
  /// Age of ephemerides that are renewed if the receiver is awake anyway.
  static let renewalAge = Duration.seconds(100 * 60)
  /// Timeout of a reading of ephemerides.
  static let readingLimit = Duration.seconds(60)
  /// Tolerated delay of an epoch.
  static let lateEpoch = Duration.seconds(2)
  /// Horizontal accuracy in metres that a position check requires.
  static let checkAccuracy = 60.0
  /// Shortest time in seconds until a fix has settled.
  static let leastSettling = 2.0
  /// Time for which the last fix counts as evidence of motion; few tunnels take longer.
  static let longestBlindness = Duration.seconds(900)
  /// Time without an epoch after which a tracking receiver counts as one without a fix. Longer than epochs may wait in
  /// a buffer.
  static let longestSilence = Deferral.longest + .seconds(60)
  /// Horizontal accuracy in metres that a position check requires if nothing else detects motion.
  static let blindAccuracy = 12.0

  mutating func wake(_ errand: Errand, now: Moment) -> [PlanAction] {
    search.began(inMotion: errand.isInMotion, afterLoss: false, expecting: slowestStart(now), now: now)
    phase = .searching(errand)
    wokeAt = now
    unfitSince = nil
    return [.receiver(.searching, until: search.nextTimeout)]
  }

  /// The start time that a search allows for, so that a receiver that lost more data than expected still gets its
  /// fix.
  func slowestStart(_ now: Moment) -> Duration {
    let kind = ephemerides.slowestStart(now: now)
    let slower = search.isLongLookDue && kind == .hot ? .warm : kind
    return starts.expected(slower, asleep: asleepSince.map { now - $0 })
  }

  mutating func take(_ fix: Fix, mayBeKept: Bool, now: Moment) -> [PlanAction] {
    var sighting = Sighting(fix, now: now)
    sighting?.mayBeKept = mayBeKept
    lastEpochAt = now
    if case .following(cyclic: true, _) = phase {
      ephemerides.slept()
    } else {
      ephemerides.epoch(hasFix: sighting != nil, now: now)
    }
    guard let sighting else { return lose(now: now) }
    guard !seeksTime || isAwaited else {
      // A search for the time provides no measure of start times.
      wokeAt = nil
      return lose(now: now)
    }
    lastSighting = sighting
    noteSpeed(sighting, now: now)
    let moved = weighEvidence(now: now)
    return moved + advance(fix, sighting, now: now)
  }

  private mutating func noteSpeed(_ sighting: Sighting, now: Moment) {
    guard sighting.hasSpeed else { return }
    evidence.note(.speed, isActive: sighting.isUnderWay, now: now)
    if sighting.isUnderWay { evidence.note(.displacement, isActive: false, now: now) }
  }

  private mutating func advance(_ fix: Fix, _ sighting: Sighting, now: Moment) -> [PlanAction] {
    switch phase {
    // The receiver sends although it was put to sleep; the receiver session handles that.
    case .dormant, .asleep: return []
    case .searching(let errand):
      learnStart(now: now)
      search.succeeded()
      vainUntil = nil
      firstFixAt = now
      phase = .settling(errand, FixSettling(wanted: wantedAccuracy(for: errand)))
      // Before the fix settles, a vehicle moves farther than the fix's error.
      let outruns = errand == .first && sighting.speed * Self.leastSettling > sighting.accuracy
      return (outruns ? keep(sighting, .first) : []) + advance(fix, sighting, now: now)
    case .settling(let errand, var settling):
      let answer = settling.handle(fix, now: now)
      phase = .settling(errand, settling)
      return answer == .hold ? [] : conclude(errand, sighting, now: now)
    case .following: return answering(sighting, proceed(sighting, now: now))
    case .reading:
      guard let age = ephemerides.age(now: now), age < .seconds(5) else { return [] }
      return sleepAtRest(now: now)
    }
  }

  /// The horizontal accuracy in metres that a start requires. For a requested position it is at least that of the
  /// policy.
  func wantedAccuracy(for errand: Errand) -> Double {
    let own =
      switch errand {
      case .check: evidence.hasMotionSensor ? Self.checkAccuracy : Self.blindAccuracy
      case .departure, .arrival: scheme.edgeAccuracy
      case .first, .onTheWay: scheme.wantedAccuracy
      }
    return isAwaited ? min(own, scheme.wantedAccuracy) : own
  }

  private mutating func learnStart(now: Moment) {
    guard let wokeAt else { return }
    let taken = now - wokeAt
    let asleep = asleepSince.map { wokeAt - $0 }
    ephemerides.judgeRecalled(firstFixAfter: taken, usually: starts.expected(.hot, asleep: asleep))
    let kind = ephemerides.expectedStart(now: wokeAt)
    ephemerides.firstFix(after: taken, usually: starts.expected(kind, asleep: asleep), now: now)
    starts.learn(kind, asleep: asleep, timeToFirstFix: taken)
    learnedStarts += 1
  }

  /// Handles an epoch without position, or none at all for ``longestSilence``.
  mutating func lose(now: Moment) -> [PlanAction] {
    switch phase {
    case .dormant, .asleep, .searching, .reading: return []
    case .settling(let errand, _):
      unfitSince = nil
      if let answered = answer(errand, now: now) { return answered }
      search.began(inMotion: errand.isInMotion, afterLoss: true, expecting: slowestStart(now), now: now)
      phase = .searching(errand)
      wokeAt = nil
      return [.receiver(.searching, until: search.nextTimeout)]
    case .following(let cyclic, _):
      if cyclic { leftCyclicModeAt = now }
      search.began(inMotion: true, afterLoss: true, expecting: slowestStart(now), now: now)
      phase = .searching(.onTheWay)
      wokeAt = nil
      return [.receiver(.searching, until: search.nextTimeout)]
    }
  }

  /// True if locations are required and the receiver does not sleep while stationary.
  private var neverRests: Bool { scheme != .off && scheme.resting == .asMoving }

  mutating func giveUp(_ errand: Errand, now: Moment) -> [PlanAction] {
    guard let rest = search.rest(now: now) else { return [] }
    if let lastSighting, now - lastSighting.moment >= Self.longestBlindness {
      evidence.forget(.speed)
      evidence.forget(.displacement)
    }
    ephemerides.slept()
    asleepSince = now
    switch errand {
    case .check where neverRests:
      phase = .asleep(.withoutSky(.onTheWay), until: now + rest)
      return [self.rest(until: now + rest, now: now)]
    case .check:
      if isAwaited { vainUntil = now + rest }
      return sleepAtRest(now: now)
    case .first where scheme == .off && !seeksTime && !isAwaited: return lieDown(now: now)
    case .first, .departure, .onTheWay, .arrival:
      if errand == .arrival {
        // The movement is over at an unknown position: another knock needs the full confirmation again.
        isRestPlaceKnown = false
        isUnderWay = false
      }
      phase = .asleep(.withoutSky(errand), until: now + rest)
      return [self.rest(until: now + rest, now: now)]
    }
  }

  /// Records a sighting, unless it must not be recorded.
  mutating func keep(_ sighting: Sighting, _ reason: KeepReason) -> [PlanAction] {
    guard sighting.mayBeKept else { return [] }
    awaitedUntil = nil
    lastKept = sighting
    return [.keep(reason)]
  }

  /// Ends a start whose fix does not improve any more. If the fix must not be recorded, waits for a better one.
  mutating func conclude(_ errand: Errand, _ sighting: Sighting, now: Moment) -> [PlanAction] {
    // A position check decides by the certain distance and records nothing.
    if !sighting.mayBeKept, errand != .check || isAwaited {
      let since = unfitSince ?? now
      unfitSince = since
      guard now - since >= scheme.fitPatience else { return [] }
    }
    unfitSince = nil
    return answering(sighting, finish(errand, sighting, now: now))
  }

  private mutating func finish(_ errand: Errand, _ sighting: Sighting, now: Moment) -> [PlanAction] {
    switch errand {
    case .first:
      isRestPlaceKnown = sighting.mayBeKept
      if seeksTime { return keep(sighting, .first) + seekOn(now: now) }
      return keep(sighting, .first) + (isMoving ? beginWay(sighting, now: now) : readOrRest(now: now))
    case .departure: return confirmDeparture(sighting, now: now)
    case .onTheWay:
      if let firstFixAt { settleTime = settleTime * 0.75 + (now - firstFixAt) * 0.25 }
      return proceed(sighting, now: now)
    case .arrival:
      guard sighting.isUnderWay else { return arrive(sighting, now: now) }
      // The sensor fell silent although the device moves.
      isMoving = true
      return proceed(sighting, now: now)
    case .check: return judgeCheck(sighting, now: now)
    }
  }
}
