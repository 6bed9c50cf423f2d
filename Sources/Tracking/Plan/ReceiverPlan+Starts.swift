import Energy
import GNSS
import Quantities

extension ReceiverPlan {
  /// Ephemerides of this age are renewed when the receiver is awake anyway.
  static let renewalAge = Duration.seconds(100 * 60)
  /// A reading that has not come to its end by then is given up.
  static let readingLimit = Duration.seconds(60)
  /// An epoch that comes no later than this is not missing.
  static let lateEpoch = Duration.seconds(2)
  /// A check asks no more of a fix.
  static let checkAccuracy = 60.0
  /// Seconds in which no fix has settled.
  static let leastSettling = 2.0
  /// What the last fix said of motion is believed for so long without another: few tunnels take longer.
  static let longestBlindness = Duration.seconds(900)
  /// Without an epoch for so long a receiver that is followed counts as one without a fix; more than may gather before it
  /// is told.
  static let longestSilence = Deferral.longest + .seconds(60)
  /// Where a check is all that tells of motion, it asks for this many metres.
  static let blindAccuracy = 12.0

  mutating func wake(_ errand: Errand, now: Moment) -> [PlanAction] {
    search.began(inMotion: errand.isInMotion, afterLoss: false, expecting: slowestStart(now), now: now)
    phase = .searching(errand)
    wokeAt = now
    unfitSince = nil
    return [.receiver(.searching, until: search.nextTimeout)]
  }

  /// What a look has to allow for, lest it break off each start of a receiver that has lost more than it seems.
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
      // What it takes until the time is known says nothing of starts.
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
    // It talks although it was told to sleep: the dialogue sees to that.
    case .dormant, .asleep: return []
    case .searching(let errand):
      learnStart(now: now)
      search.succeeded()
      vainUntil = nil
      firstFixAt = now
      phase = .settling(errand, FixSettling(wanted: wantedAccuracy(for: errand)))
      // Before it has settled a vehicle is further from here than the fix is wrong.
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

  /// Metres. Who waits is not to have a worse fix than the errand alone would ask for.
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

  /// An epoch without a position, or none at all for ``longestSilence``.
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

  /// Positions are wanted, and it does not sleep for want of motion.
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
        // The way is over, wherever that is: a knock is no more than a knock again.
        isRestPlaceKnown = false
        isUnderWay = false
      }
      phase = .asleep(.withoutSky(errand), until: now + rest)
      return [self.rest(until: now + rest, now: now)]
    }
  }

  /// Nothing for a sighting that must not be kept.
  mutating func keep(_ sighting: Sighting, _ reason: KeepReason) -> [PlanAction] {
    guard sighting.mayBeKept else { return [] }
    awaitedUntil = nil
    lastKept = sighting
    return [.keep(reason)]
  }

  /// The fix of an errand is as good as it gets. For one that must not be kept a better one is waited for.
  mutating func conclude(_ errand: Errand, _ sighting: Sighting, now: Moment) -> [PlanAction] {
    // A check decides by what is certain, and makes no record.
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
      // The sensor fell silent, and it moves all the same.
      isMoving = true
      return proceed(sighting, now: now)
    case .check: return judgeCheck(sighting, now: now)
    }
  }
}
