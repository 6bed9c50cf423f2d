import Energy
import GNSSProtocol
import Quantities

extension ReceiverSchedule {
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
  static let longestFixGap = Duration.seconds(900)
  /// Time without an epoch after which a tracking receiver counts as one without a fix. Longer than epochs may wait in
  /// a buffer.
  static let longestSilence = Deferral.longest + .seconds(60)
  /// Horizontal accuracy in metres that a position check requires if nothing else detects motion.
  static let accuracyWithoutSensor = 12.0

  mutating func wake(_ wakeReason: WakeReason, now: Moment) -> [ReceiverScheduleAction] {
    search.began(inMotion: wakeReason.isInMotion, afterLoss: false, expecting: slowestStart(now), now: now)
    phase = .searching(wakeReason)
    wokeAt = now
    unacceptableSince = nil
    return [.receiver(.searching, until: search.nextTimeout)]
  }

  /// The start time that a search allows for, so that a receiver that lost more data than expected still gets its
  /// fix.
  func slowestStart(_ now: Moment) -> Duration {
    let kind = ephemerides.slowestStart(now: now)
    let slower = search.isLongSearchDue && kind == .hot ? .warm : kind
    return starts.expected(slower, asleep: asleepSince.map { now - $0 })
  }

  mutating func take(_ epoch: Fix, mayBeKept: Bool, now: Moment) -> [ReceiverScheduleAction] {
    var fix = ScheduleFix(epoch, now: now)
    fix?.mayBeKept = mayBeKept
    lastEpochAt = now
    if case .following(cyclic: true, _) = phase {
      ephemerides.slept()
    } else {
      ephemerides.epoch(hasFix: fix != nil, now: now)
    }
    guard let fix else { return lose(now: now) }
    guard !searchesForTime || isPositionRequested else {
      // A search for the time provides no measure of start times.
      wokeAt = nil
      return lose(now: now)
    }
    lastFix = fix
    recordSpeedEvidence(fix, now: now)
    let moved = weighEvidence(now: now)
    return moved + advance(epoch, fix, now: now)
  }

  private mutating func recordSpeedEvidence(_ fix: ScheduleFix, now: Moment) {
    guard fix.hasSpeed else { return }
    evidence.record(.speed, isActive: fix.isTravelling, now: now)
    if fix.isTravelling { evidence.record(.displacement, isActive: false, now: now) }
  }

  private mutating func advance(_ epoch: Fix, _ fix: ScheduleFix, now: Moment) -> [ReceiverScheduleAction] {
    switch phase {
    // The receiver sends although it was put to sleep; the receiver session handles that.
    case .dormant, .asleep: return []
    case .searching(let wakeReason):
      learnStart(now: now)
      search.succeeded()
      backOffUntil = nil
      firstFixAt = now
      phase = .settling(wakeReason, FixSettling(accuracy: requiredAccuracy(for: wakeReason)))
      // Before the fix settles, a vehicle moves farther than the fix's error.
      let outruns = wakeReason == .first && fix.speed * Self.leastSettling > fix.accuracy
      return (outruns ? keep(fix, .first) : []) + advance(epoch, fix, now: now)
    case .settling(let wakeReason, var settling):
      let answer = settling.handle(epoch, now: now)
      phase = .settling(wakeReason, settling)
      return answer == .wait ? [] : conclude(wakeReason, fix, now: now)
    case .following: return answering(fix, proceed(fix, now: now))
    case .reading:
      guard let age = ephemerides.age(now: now), age < .seconds(5) else { return [] }
      return sleepWhileStationary(now: now)
    }
  }

  /// The horizontal accuracy in metres that a start requires. For a requested position it is at least that of the
  /// policy.
  func requiredAccuracy(for wakeReason: WakeReason) -> Double {
    let own =
      switch wakeReason {
      case .check: evidence.hasMotionSensor ? Self.checkAccuracy : Self.accuracyWithoutSensor
      case .departure, .arrival: policy.edgeAccuracy
      case .first, .moving: policy.requiredAccuracy
      }
    return isPositionRequested ? min(own, policy.requiredAccuracy) : own
  }

  private mutating func learnStart(now: Moment) {
    guard let wokeAt else { return }
    let taken = now - wokeAt
    let asleep = asleepSince.map { wokeAt - $0 }
    ephemerides.validateRecalled(firstFixAfter: taken, usually: starts.expected(.hot, asleep: asleep))
    let kind = ephemerides.expectedStart(now: wokeAt)
    ephemerides.firstFix(after: taken, usually: starts.expected(kind, asleep: asleep), now: now)
    starts.learn(kind, asleep: asleep, timeToFirstFix: taken)
    learnedStarts += 1
  }

  /// Handles an epoch without position, or none at all for ``longestSilence``.
  mutating func lose(now: Moment) -> [ReceiverScheduleAction] {
    switch phase {
    case .dormant, .asleep, .searching, .reading: return []
    case .settling(let wakeReason, _):
      unacceptableSince = nil
      if let answered = answer(wakeReason, now: now) { return answered }
      search.began(inMotion: wakeReason.isInMotion, afterLoss: true, expecting: slowestStart(now), now: now)
      phase = .searching(wakeReason)
      wokeAt = nil
      return [.receiver(.searching, until: search.nextTimeout)]
    case .following(let cyclic, _):
      if cyclic { leftCyclicModeAt = now }
      search.began(inMotion: true, afterLoss: true, expecting: slowestStart(now), now: now)
      phase = .searching(.moving)
      wokeAt = nil
      return [.receiver(.searching, until: search.nextTimeout)]
    }
  }

  /// True if locations are required and the receiver does not sleep while stationary.
  private var isAlwaysAwake: Bool { policy != .off && policy.stationary == .asMoving }

  mutating func giveUp(_ wakeReason: WakeReason, now: Moment) -> [ReceiverScheduleAction] {
    guard let sleep = search.sleep(now: now) else { return [] }
    if let lastFix, now - lastFix.moment >= Self.longestFixGap {
      evidence.forget(.speed)
      evidence.forget(.displacement)
    }
    ephemerides.slept()
    asleepSince = now
    switch wakeReason {
    case .check where isAlwaysAwake:
      phase = .asleep(.withoutReception(.moving), until: now + sleep)
      return [self.sleep(until: now + sleep, now: now)]
    case .check:
      if isPositionRequested { backOffUntil = now + sleep }
      return sleepWhileStationary(now: now)
    case .first where policy == .off && !searchesForTime && !isPositionRequested:
      return becomeDormant(now: now)
    case .first, .departure, .moving, .arrival:
      if wakeReason == .arrival {
        // The movement is over at an unknown position: another knock needs the full confirmation again.
        isStopPositionKnown = false
        isTravelling = false
      }
      phase = .asleep(.withoutReception(wakeReason), until: now + sleep)
      return [self.sleep(until: now + sleep, now: now)]
    }
  }

  /// Records a fix, unless it must not be recorded.
  mutating func keep(_ fix: ScheduleFix, _ reason: KeepReason) -> [ReceiverScheduleAction] {
    guard fix.mayBeKept else { return [] }
    requestDeadline = nil
    lastKept = fix
    return [.keep(reason)]
  }

  /// Ends a start whose fix does not improve any more. If the fix must not be recorded, waits for a better one.
  mutating func conclude(_ wakeReason: WakeReason, _ fix: ScheduleFix, now: Moment)
    -> [ReceiverScheduleAction]
  {
    // A position check decides by the certain distance and records nothing.
    if !fix.mayBeKept, wakeReason != .check || isPositionRequested {
      let since = unacceptableSince ?? now
      unacceptableSince = since
      guard now - since >= policy.acceptableFixTimeout else { return [] }
    }
    unacceptableSince = nil
    return answering(fix, finish(wakeReason, fix, now: now))
  }

  private mutating func finish(_ wakeReason: WakeReason, _ fix: ScheduleFix, now: Moment)
    -> [ReceiverScheduleAction]
  {
    switch wakeReason {
    case .first:
      isStopPositionKnown = fix.mayBeKept
      if searchesForTime { return keep(fix, .first) + continueTimeSearch(now: now) }
      return keep(fix, .first) + (isMoving ? beginLeg(fix, now: now) : readOrSleep(now: now))
    case .departure: return confirmDeparture(fix, now: now)
    case .moving:
      if let firstFixAt { settleTime = settleTime * 0.75 + (now - firstFixAt) * 0.25 }
      return proceed(fix, now: now)
    case .arrival:
      guard fix.isTravelling else { return arrive(fix, now: now) }
      // The sensor fell silent although the device moves.
      isMoving = true
      return proceed(fix, now: now)
    case .check: return evaluatePositionCheck(fix, now: now)
    }
  }
}
