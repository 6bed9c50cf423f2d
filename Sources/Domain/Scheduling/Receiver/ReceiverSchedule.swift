import Energy
import GNSSProtocol
import Quantities

/// The schedule of the receiver: decides when it is on and which of its fixes become records.
///
/// Inputs are ``ReceiverScheduleEvent``s with their time, outputs are ``ReceiverScheduleAction``s. It performs nothing
/// itself: the owner, ``Tracker``, carries out the actions and calls ``handleTimeout(now:)`` no earlier than
/// ``nextTimeout``. The daemon, a replay and the tests use the same value.
///
/// It combines what the receiver does (``ReceiverActivity``) with the motion of the device (``MotionDetection``), its
/// stops (``StationaryPeriod``), the recorded track (``TrackRecording``) and requests (``PendingRequests``).
public struct ReceiverSchedule: Sendable {
  private typealias Actions = [ReceiverScheduleAction]

  /// Radius in metres around the known location within which a later fix does not prove a move.
  private static let knownPositionAccuracy = 50.0
  /// Shortest time in seconds until a fix has settled.
  private static let leastSettling = 2.0
  /// Time for which the last fix counts as evidence of motion; few tunnels take longer.
  private static let longestFixGap = Duration.seconds(900)
  /// Shortest time between two records.
  package static let shortestStep = Duration.seconds(1)

  /// The tracking policy in effect.
  public private(set) var policy: TrackingPolicy
  private(set) var activity: ReceiverActivity
  private(set) var motion: MotionDetection
  private(set) var stop: StationaryPeriod
  private(set) var track = TrackRecording()
  private(set) var requests = PendingRequests()

  /// Creates a schedule. `model` is what is known about the receiver; a model of an earlier schedule continues.
  /// `hasCyclicMode` is true if the receiver offers what ``TrackingPolicy/usesCyclicMode`` allows; `knownPosition` is
  /// the location of a stationary device, known without the receiver.
  package init(
    _ policy: TrackingPolicy, currents: ReceiverCurrents, model: ReceiverModel, hasCyclicMode: Bool = true,
    knownPosition: Coordinate? = nil
  ) {
    self.policy = policy
    activity = ReceiverActivity(
      model: model, currents: currents, hasCyclicMode: hasCyclicMode,
      longestBackOff: policy.longestSearchPause
    )
    motion = MotionDetection(policy)
    stop = StationaryPeriod(knownPosition: knownPosition)
  }

  // MARK: Inputs

  /// Handles an event and returns the actions.
  public mutating func handle(_ event: ReceiverScheduleEvent, now: Moment) -> [ReceiverScheduleAction] {
    let wasAsleepWhileStationary = isAsleepWhileStationary
    var actions: Actions = []
    switch event {
    case .started:
      guard policy != .off else { return [activity.powerDown(until: nil, now: now)] }
      actions = answerOrWake(.first, now: now)
    case .resumed(let sleep, let position): actions = resume(sleep, at: position, now: now)
    case .continued(let tracking, let pause): actions = resume(tracking, since: now - pause, now: now)
    case .timeRequested: actions = searchForTime(now: now)
    case .timeKnown: requests.endTime()
    case .epoch(let fix): return handle(epoch: fix, mayBeKept: true, now: now)
    case .received(let strongest): activity.received(strongest: strongest, now: now)
    case .cyclicMode(let isOffered): actions = activity.offersCyclicMode(isOffered, now: now)
    case .evidence(let source, let isActive):
      motion.record(source, isActive: isActive, now: now)
      actions = weighEvidence(now: now)
    case .evidenceLost(let source):
      motion.forget(source)
      actions = weighEvidence(now: now)
    case .positionRequested: actions = requestPosition(now: now)
    case .positionCheckRequested: actions = checkPosition(now: now)
    case .positionKnown(let position): actions = know(position, now: now)
    case .policy(let policy):
      actions = adopt(policy, now: now)
      actions += weighEvidence(now: now)
    }
    return review(actions, wasAsleepWhileStationary: wasAsleepWhileStationary, now: now)
  }

  /// Handles an epoch of the receiver. A position that a filter rejects, for example for its accuracy, is not
  /// recorded. At the end of a start the schedule waits up to ``TrackingPolicy/acceptableFixTimeout`` for a better one.
  public mutating func handle(epoch fix: Fix, mayBeKept: Bool, now: Moment) -> [ReceiverScheduleAction] {
    let wasAsleepWhileStationary = isAsleepWhileStationary
    let actions = take(fix, mayBeKept: mayBeKept, now: now)
    return review(actions, wasAsleepWhileStationary: wasAsleepWhileStationary, now: now)
  }

  /// The next deadline; nil if only an event can change anything.
  public var nextTimeout: Moment? { Moment.earliest(phaseDeadline, motion.nextTimeout) }

  /// Acts on a deadline that has passed.
  public mutating func handleTimeout(now: Moment) -> [ReceiverScheduleAction] {
    guard let nextTimeout, now >= nextTimeout else { return [] }
    let wasAsleepWhileStationary = isAsleepWhileStationary
    var actions = weighEvidence(now: now)
    if let phaseDeadline, now >= phaseDeadline { actions += endPhase(now: now) }
    return review(actions, wasAsleepWhileStationary: wasAsleepWhileStationary, now: now)
  }

  /// Applies the receiver's currents.
  package mutating func adopt(_ currents: ReceiverCurrents) { activity.adopt(currents) }

  /// Processes the receiver's family.
  package mutating func identified(_ family: ReceiverFamily) { activity.identified(family) }

  /// Restores the time at which an earlier run of the program last read the ephemerides.
  package mutating func recall(ephemeridesReadAt moment: Moment) {
    activity.recall(ephemeridesReadAt: moment)
  }

  /// Ends the position request, because its position is recorded or no longer required.
  package mutating func endRequest() { requests.endPosition() }

  /// Forgets the known location without a position check: its source is switched off.
  package mutating func forgetKnownPosition() { stop.know(nil) }

  /// Completes every input: a sleep in the middle of motion ends, and a request that comes too late for the next
  /// search ends.
  private mutating func review(_ actions: Actions, wasAsleepWhileStationary: Bool, now: Moment) -> Actions {
    let woken = isAsleepWhileStationary && !wasAsleepWhileStationary ? weighEvidence(now: now) : []
    requests.review(phase)
    motion.updateTimeout(now: now)
    return woken.isEmpty ? actions : actions + woken
  }

  /// The end of the present phase; nil if only an event ends it.
  var phaseDeadline: Moment? { activity.deadline(acceptableFixTimeout: policy.acceptableFixTimeout) }

  private mutating func endPhase(now: Moment) -> Actions {
    switch phase {
    case .dormant: return []
    case .asleep(let cause, _): return answerOrWake(cause.wakeReason, now: now)
    case .searching(let wakeReason, _): return giveUp(wakeReason, now: now)
    case .settling(let wakeReason, _):
      guard activity.hasSettled(with: nil, now: now), !activity.isSilent(now: now), let fix = lastFix else {
        return lose(now: now)
      }
      return conclude(wakeReason, fix, now: now)
    case .following: return lose(now: now)
    case .reading: return sleepWhileStationary(now: now)
    }
  }

  private mutating func adopt(_ new: TrackingPolicy, now: Moment) -> Actions {
    guard new != policy else { return [] }
    stop.adopt(new, after: policy)
    motion.adopt(new)
    let wasOff = policy == .off
    policy = new
    requests.endTime()
    track.endLeg()
    guard new != .off else {
      guard isPositionRequested else { return becomeDormant(now: now) }
      motion.arrived()
      return continueForRequest(now: now)
    }
    switch phase {
    case .dormant: return answerOrWake(.first, now: now)
    case .asleep(.stationary, let until): return continueSleep(until: until, now: now)
    // The policy has no influence on reception. Search now only if no locations were required before, or if sleep is no
    // longer allowed.
    case .asleep(.withoutReception(let wakeReason), _):
      return wasOff || new.stationary == .asMoving ? activity.wake(wakeReason, now: now) : []
    // A fix under the new policy decides what follows.
    case .asleep(.betweenFixes, _):
      return isMoving ? activity.wake(.moving, now: now) : sleepWhileStationary(now: now)
    case .searching, .settling: return []
    case .reading: return new.stationary == .asMoving ? activity.follow(cyclic: false, now: now) : []
    // A pending request gets the next epoch, and the new policy applies from then on.
    case .following: return isPositionRequested ? [] : lastFix.map { proceed($0, now: now) } ?? []
    }
  }

  // MARK: Starts

  /// Continues the sleep of an earlier run.
  private mutating func resume(_ sleep: SavedSleep, at position: Coordinate?, now: Moment) -> Actions {
    guard policy != .off else { return [activity.powerDown(until: nil, now: now)] }
    guard case .asleep(_, let longest, _) = policy.stationary, !isMoving, !isPositionRequested else {
      return answerOrWake(.first, now: now)
    }
    activity.resume(at: sleep.backOff)
    // The settings may have changed since.
    let until = now + min(sleep.remaining, max(longest, policy.longestSearchPause))
    if sleep.lacksReception {
      guard sleep.remaining > Resumption.soon else { return answerOrWake(.first, now: now) }
      return activity.changeSleep(.withoutReception(.first), until: until, now: now)
    }
    guard let position else { return answerOrWake(.first, now: now) }
    stop.resume(
      after: sleep.stationary, interval: sleep.checkInterval.map { min($0, longest) }, now: now)
    remember(position, now: now)
    guard sleep.remaining > Resumption.soon else { return answerOrWake(.check, now: now) }
    return activity.changeSleep(.stationary, until: min(until, now + longest), now: now)
  }

  /// Continues the tracking of an earlier run: the epochs since `moment` follow.
  private mutating func resume(_ tracking: SavedTracking, since moment: Moment, now: Moment) -> Actions {
    guard policy != .off, policy.moving != .none, !isPositionRequested else {
      return answerOrWake(.first, now: now)
    }
    motion.resume(since: moment, hasMotionSensor: tracking.hasMotionSensor)
    stop.departed()
    return activity.resume(tracking, since: moment)
  }

  /// The tracking in progress, for a run after it; nil unless the receiver has a fix every second.
  package var savedTracking: SavedTracking? {
    guard case .following(let isCyclic, _) = phase else { return nil }
    return SavedTracking(isCyclic: isCyclic, hasMotionSensor: hasMotionSensor)
  }

  /// The sleep in progress, for a run after it; nil while the receiver is awake, the device moves, no locations are
  /// required, or the stationary position is not recorded.
  package func savedSleep(now: Moment) -> SavedSleep? {
    guard case .asleep(let cause, let until) = phase, !isMoving else { return nil }
    let lacksReception: Bool
    switch cause {
    case .stationary:
      guard stop.isPositionRecorded else { return nil }
      lacksReception = false
    case .withoutReception(.first): lacksReception = true
    case .betweenFixes, .withoutReception: return nil
    }
    return SavedSleep(
      remaining: max(until - now, .zero), lacksReception: lacksReception,
      stationary: stop.since.map { now - $0 } ?? .zero, checkInterval: stop.intervalAfterCheck,
      backOff: activity.nextBackOff)
  }

  /// Wakes the receiver for a wake reason, unless the known location replaces the start.
  private mutating func answerOrWake(_ wakeReason: WakeReason, now: Moment) -> Actions {
    let answered = answer(wakeReason, now: now)
    guard answered == nil, wakeReason == .check, !isPositionRequested else {
      return answered ?? activity.wake(wakeReason, now: now)
    }
    return activity.wake(.check, pause: stop.intervalAfterCheck ?? .zero, now: now)
  }

  private mutating func take(_ epoch: Fix, mayBeKept: Bool, now: Moment) -> Actions {
    var fix = ScheduleFix(epoch, now: now)
    fix?.mayBeKept = mayBeKept
    activity.epoch(hasFix: fix != nil, isStored: epoch.isStored, now: now)
    guard let fix else { return lose(now: now) }
    guard !searchesForTime || isPositionRequested else {
      activity.ignoreStartTime()
      return lose(now: now)
    }
    track.take(fix)
    motion.record(fix, now: now)
    let moved = weighEvidence(now: now)
    return moved + advance(epoch, fix, now: now)
  }

  private mutating func advance(_ epoch: Fix, _ fix: ScheduleFix, now: Moment) -> Actions {
    switch phase {
    // The receiver sends although it was put to sleep; the receiver session handles that.
    case .dormant, .asleep: return []
    case .searching(let wakeReason, _):
      activity.foundFix(accuracy: requiredAccuracy(for: wakeReason), now: now)
      requests.hasReception()
      // Before the fix settles, a vehicle moves farther than the fix's error.
      let outruns = wakeReason == .first && fix.speed * Self.leastSettling > fix.accuracy
      return (outruns ? keep(fix, .first) : []) + advance(epoch, fix, now: now)
    case .settling(let wakeReason, _):
      return activity.hasSettled(with: epoch, now: now) ? conclude(wakeReason, fix, now: now) : []
    case .following: return answering(fix, proceed(fix, now: now))
    case .reading: return activity.model.hasJustRead(now: now) ? sleepWhileStationary(now: now) : []
    }
  }

  private func requiredAccuracy(for wakeReason: WakeReason) -> Double {
    policy.requiredAccuracy(
      for: wakeReason, hasMotionSensor: hasMotionSensor, isRequested: isPositionRequested)
  }

  /// Handles an epoch without position, or a receiver that is silent.
  private mutating func lose(now: Moment) -> Actions {
    switch phase {
    case .dormant, .asleep, .searching, .reading: return []
    case .settling(let wakeReason, _):
      return answer(wakeReason, now: now) ?? activity.searchAgain(wakeReason, now: now)
    case .following: return activity.searchAgain(.moving, now: now)
    }
  }

  private mutating func giveUp(_ wakeReason: WakeReason, now: Moment) -> Actions {
    guard let backOff = activity.giveUpSearch(now: now) else { return [] }
    let until = now + backOff
    if let lastFix, now - lastFix.moment >= Self.longestFixGap { motion.forgetFixes() }
    switch wakeReason {
    case .check where policy != .off && policy.stationary == .asMoving:
      return activity.sleep(.withoutReception(.moving), until: until, now: now)
    case .check:
      requests.failed(until: until)
      return sleepWhileStationary(now: now)
    case .first where policy == .off && !searchesForTime && !isPositionRequested:
      return becomeDormant(now: now)
    case .first, .departure, .moving, .arrival:
      if wakeReason == .arrival {
        // The movement is over at an unknown position: another knock needs the full confirmation again.
        stop.setPositionRecorded(false)
        motion.arrived()
      }
      return activity.sleep(.withoutReception(wakeReason), until: until, now: now)
    }
  }

  /// Ends a start whose fix does not improve any more. If the fix must not be recorded, waits for a better one. A
  /// position check decides by the certain distance and records nothing.
  private mutating func conclude(_ wakeReason: WakeReason, _ fix: ScheduleFix, now: Moment) -> Actions {
    let isAcceptable = fix.mayBeKept || wakeReason == .check && !isPositionRequested
    let ends = activity.endsStart(
      isAcceptable: isAcceptable, timeout: policy.acceptableFixTimeout, now: now)
    return ends ? answering(fix, finish(wakeReason, fix, now: now)) : []
  }

  private mutating func finish(_ wakeReason: WakeReason, _ fix: ScheduleFix, now: Moment) -> Actions {
    switch wakeReason {
    case .first:
      let kept = keepStopPosition(fix, .first)
      if searchesForTime {
        // A request got a fix that did not provide the time.
        requests.endPosition()
        return kept + activity.wake(.first, now: now)
      }
      return kept + (isMoving ? beginLeg(fix, now: now) : readOrSleep(now: now))
    case .departure: return confirmDeparture(fix, now: now)
    case .moving:
      activity.learnSettling(now: now)
      return proceed(fix, now: now)
    case .arrival:
      guard fix.isTravelling else { return arrive(fix, now: now) }
      motion.overrule()
      return proceed(fix, now: now)
    case .check: return evaluatePositionCheck(fix, now: now)
    }
  }

  // MARK: Records

  /// Records a fix, unless it must not be recorded.
  private mutating func keep(_ fix: ScheduleFix, _ reason: KeepReason) -> Actions {
    guard fix.mayBeKept else { return [] }
    requests.endPosition()
    track.keep(fix)
    return [.keep(reason)]
  }

  /// Records a fix at the stationary position.
  private mutating func keepStopPosition(_ fix: ScheduleFix, _ reason: KeepReason) -> Actions {
    stop.setPositionRecorded(fix.mayBeKept)
    return keep(fix, reason)
  }

  /// Records the settled fix for the request, unless it is recorded already.
  private mutating func answering(_ fix: ScheduleFix, _ actions: Actions) -> Actions {
    isPositionRequested ? keep(fix, .requested) + actions : actions
  }

  // MARK: Motion

  /// Compares the motion sources with the state in force and acts on a change.
  private mutating func weighEvidence(now: Moment) -> Actions {
    switch motion.weigh(now: now) {
    case nil: []
    case .began: beginMotion(now: now)
    case .resumed(let silence): resumeMotion(after: silence, now: now)
    case .ended: endMotion(now: now)
    }
  }

  private mutating func beginMotion(now: Moment) -> Actions {
    guard policy != .off else { return [] }
    motion.expectDeparture(now: now)
    let purpose: WakeReason = isTravelling ? .moving : .departure
    switch phase {
    case .dormant, .following: return []
    case .searching(let wakeReason, _), .settling(let wakeReason, _):
      return activity.continueStart(inMotionFor: wakeReason == .first ? .first : purpose, now: now)
    case .reading:
      activity.settle(.departure, accuracy: policy.requiredAccuracy)
      return []
    case .asleep:
      if case .sparse(_, let shortest, _) = policy.moving, let due = track.nextRecord(after: shortest),
        due > now
      {
        return activity.changeSleep(.betweenFixes, until: due, now: now)
      }
      if motion.followsLongStop(now: now) { activity.encourageSearch() }
      if let nextSearch = activity.nextSearch(now: now) {
        return activity.changeSleep(.withoutReception(.departure), until: nextSearch, now: now)
      }
      return resumeLeg(now: now) ?? activity.wake(purpose, now: now)
    }
  }

  /// Handles a departure from a stop that was shorter than the pause delay. At level S the intervals have grown meanwhile,
  /// and a search without reception has backed off: the receiver wakes as after a pause.
  private mutating func resumeMotion(after silence: Duration, now: Moment) -> Actions {
    switch phase {
    case .asleep(.betweenFixes, _):
      guard case .within = policy.moving, let lastKept, !lastKept.isTravelling else { return [] }
      track.endLeg()
      return [.keepLastPosition(.stay, at: now)] + activity.wake(.moving, now: now)
    case .asleep(.withoutReception(let wakeReason), _):
      guard wakeReason.isInMotion, silence > MotionDetection.longStop else { return [] }
      activity.encourageSearch()
      return activity.wake(wakeReason, now: now)
    case .dormant, .asleep(.stationary, _), .searching, .settling, .following, .reading: return []
    }
  }

  private mutating func endMotion(now: Moment) -> Actions {
    switch phase {
    case .dormant, .following, .reading, .asleep(.stationary, _): return []
    case .asleep(.betweenFixes, _):
      return isTravelling ? answerOrWake(.arrival, now: now) : sleepWhileStationary(now: now)
    case .asleep(.withoutReception(let wakeReason), _):
      guard wakeReason.isInMotion else { return [] }
      return isTravelling ? answerOrWake(.arrival, now: now) : endFalseWakeUp(now: now)
    case .searching(let wakeReason, _), .settling(let wakeReason, _):
      guard wakeReason.isInMotion else { return [] }
      guard isTravelling else {
        motion.recordFalseWakeUp(now: now)
        return endFalseWakeUp(now: now)
      }
      if case .searching = phase, let answered = answer(.arrival, now: now) { return answered }
      activity.continueStart(for: .arrival)
      return []
    }
  }

  /// Ends a false wake-up: the receiver sleeps again, unless a position is requested.
  private mutating func endFalseWakeUp(now: Moment) -> Actions {
    isPositionRequested ? continueForRequest(now: now) : sleepWhileStationary(now: now)
  }

  /// Decides by a settled fix if the motion is a departure. Without confirmation the next epoch decides again.
  private mutating func confirmDeparture(_ fix: ScheduleFix, now: Moment) -> Actions {
    let began = motionBegan ?? now
    let isAway = track.certainDistance(to: fix) > 0
    guard motion.confirmsDeparture(fix, isAway: isAway, now: now) else { return [] }
    if stop.outlastsSpeed(now: now) { track.forgetSpeed() }
    // This fix shows the position now; a second before, the device was still at the last one.
    let stay = ReceiverScheduleAction.keepLastPosition(.stay, at: min(began, now - Self.shortestStep))
    let stayed = isStopPositionKnown ? [stay] : []
    return stayed + keep(fix, .departure) + beginLeg(fix, now: now)
  }

  /// Starts a leg with this fix.
  private mutating func beginLeg(_ fix: ScheduleFix, now: Moment) -> Actions {
    motion.departed()
    stop.departed()
    switch policy.moving {
    case .none: return readOrSleep(now: now)
    case .everySecond: return activity.follow(cyclic: policy.usesCyclicMode, now: now)
    case .within(let metres): return pauseOrFollow(track.beginLeg(within: metres, fix), now: now)
    case .sparse: return proceed(fix, now: now)
    }
  }

  /// Resumes a leg at level S after a short stop at a recorded position. The leg continues from there, and the next fix
  /// is sufficient.
  private mutating func resumeLeg(now: Moment) -> Actions? {
    guard case .within(let metres) = policy.moving, isStopPositionKnown,
      stop.isShortStop(quietSince: motion.quietSince, now: now),
      activity.model.hasFreshEphemerides(now: now),
      let interval = track.resumeLeg(within: metres, now: now)
    else { return nil }
    motion.departed()
    stop.departed()
    return [.keepLastPosition(.stay, at: now)] + sleepBetweenFixes(until: now + interval, now: now)
  }

  /// Handles a fix while moving.
  private mutating func proceed(_ fix: ScheduleFix, now: Moment) -> Actions {
    guard isMoving || policy.stationary == .asMoving else {
      guard fix.mayBeKept else { return activity.settleAtArrival(accuracy: policy.edgeAccuracy, now: now) }
      return arrive(fix, now: now)
    }
    motion.travelled()
    let decision = track.decide(
      fix, policy.moving, isFollowing: phase.isFollowing, isRequested: isPositionRequested, now: now)
    let kept = decision.reason.map { keep(fix, $0) } ?? []
    switch decision.next {
    case .unchanged: return kept
    case .endLeg: return kept + readOrSleep(now: now)
    case .everySecond: return kept + activity.follow(cyclic: policy.usesCyclicMode, now: now)
    case .beginLeg: return kept + beginLeg(fix, now: now)
    case .fix(let interval): return kept + pauseOrFollow(interval, now: now)
    case .sleep(let pause): return kept + sleepBetweenFixes(until: now + pause, now: now)
    }
  }

  /// Sleeps after a record at level S until the next fix is due, or remains awake if that costs less charge.
  private mutating func pauseOrFollow(_ interval: Duration, now: Moment) -> Actions {
    let actions = activity.pauseOrFollow(interval, allowsCyclic: policy.usesCyclicMode, now: now)
    if isAsleep { motion.fixesPaused() }
    return actions
  }

  private mutating func sleepBetweenFixes(until: Moment, now: Moment) -> Actions {
    motion.fixesPaused()
    return activity.sleep(.betweenFixes, until: until, now: now)
  }

  // MARK: Arrival and stationary device

  /// Records the last fix of a movement.
  private mutating func arrive(_ fix: ScheduleFix, now: Moment) -> Actions {
    keepStopPosition(fix, .arrival) + readOrSleep(now: now)
  }

  /// Sleeps, unless reading ephemerides now saves a wake-up soon.
  private mutating func readOrSleep(now: Moment) -> Actions {
    guard policy != .off else { return becomeDormant(now: now) }
    motion.arrived()
    track.endLeg()
    if case .asMoving = policy.stationary { return activity.follow(cyclic: false, now: now) }
    guard activity.model.hasFreshEphemerides(now: now) else { return activity.readEphemerides(now: now) }
    return sleepWhileStationary(now: now)
  }

  /// Ends the present activity: sleeps until the next position check, switches off, or continues by the clock.
  private mutating func sleepWhileStationary(now: Moment) -> Actions {
    guard policy != .off else { return becomeDormant(now: now) }
    let check = stop.nextCheck(
      policy, hasArrived: isTravelling, hasMotionSensor: hasMotionSensor, now: now)
    guard let check else { return activity.continueAsMoving(now: now) }
    let until = motion.ignoredUntil(now: now).map { min(check, $0) } ?? check
    motion.stopped()
    track.endLeg()
    return activity.sleep(.stationary, until: until, now: now)
  }

  /// Puts the receiver to sleep until an event, because nothing requires it.
  private mutating func becomeDormant(now: Moment) -> Actions {
    guard phase != .dormant else { return [] }
    motion.arrived()
    return activity.becomeDormant(now: now)
  }

  /// Applies a new policy while stationary. The next position check is not postponed, only advanced.
  private mutating func continueSleep(until: Moment, now: Moment) -> Actions {
    guard let due = stop.nextCheck(policy, hasMotionSensor: hasMotionSensor, now: now) else {
      return sleepWhileStationary(now: now)
    }
    return due < until ? activity.changeSleep(.stationary, until: due, now: now) : []
  }

  /// Makes a position check now because of a hint, unless another hint caused one shortly before.
  private mutating func checkPosition(now: Moment) -> Actions {
    guard mayCheckPosition(now: now) else { return [] }
    stop.checkedForHint(now: now)
    return answerOrWake(.check, now: now)
  }

  /// Decides by the fix of a position check if the device was moved unnoticed.
  private mutating func evaluatePositionCheck(_ fix: ScheduleFix, now: Moment) -> Actions {
    guard let moveDistance = policy.moveDistance(hasMotionSensor: hasMotionSensor) else {
      return proceed(fix, now: now)
    }
    if lastKept == nil, !fix.isTravelling {
      // There is no earlier position to compare with.
      return keepStopPosition(fix, .first) + sleepWhileStationary(now: now)
    }
    if fix.isTravelling || track.certainDistance(to: fix) > moveDistance {
      motion.displaced(now: now)
      return keep(fix, .change) + beginLeg(fix, now: now)
    }
    let keepsHotStart = stop.keepsReceiverReady(now: now) || stop.checksOften || !hasMotionSensor
    let isRenewalDue = keepsHotStart && !activity.model.hasFreshEphemerides(now: now)
    return isRenewalDue ? activity.readEphemerides(now: now) : sleepWhileStationary(now: now)
  }

  // MARK: The known location

  /// The actions with the known location; nil if only the receiver can provide the position.
  private mutating func answer(_ wakeReason: WakeReason, now: Moment) -> Actions? {
    guard let knownPosition, let asleep = use(knownPosition, for: wakeReason, now: now) else { return nil }
    return [.keepKnownPosition(wakeReason.knownPositionReason)] + asleep
  }

  /// Processes a location that became known, or nil if it is no longer known.
  private mutating func know(_ position: Coordinate?, now: Moment) -> Actions {
    guard position != knownPosition else { return [] }
    let wasKnown = knownPosition != nil
    stop.know(position)
    guard let position else { return wasKnown ? advancePositionCheck(now: now) : [] }
    switch phase {
    // The source of the location has it recorded, too.
    case .searching(let wakeReason, _), .asleep(.withoutReception(let wakeReason), _):
      return use(position, for: wakeReason, now: now) ?? []
    case .asleep(.stationary, _):
      remember(position, now: now)
      return []
    case .dormant, .asleep, .settling, .following, .reading: return []
    }
  }

  /// Sleeps at the known location; nil if it does not replace this start.
  private mutating func use(_ position: Coordinate, for wakeReason: WakeReason, now: Moment) -> Actions? {
    guard !isMoving, !isPositionRequested, !searchesForTime,
      let sleep = policy.sleep(withKnownPositionFor: wakeReason)
    else { return nil }
    remember(position, now: now)
    switch sleep {
    case .stationary: return sleepWhileStationary(now: now)
    case .between(let interval): return activity.sleep(.betweenFixes, until: now + interval, now: now)
    }
  }

  private mutating func remember(_ position: Coordinate, now: Moment) {
    track.keep(ScheduleFix(at: position, accuracy: Self.knownPositionAccuracy, now: now))
    stop.setPositionRecorded(true)
  }

  /// Makes the next position check now, or as soon as checks are allowed again, because nothing else provides the
  /// location.
  private mutating func advancePositionCheck(now: Moment) -> Actions {
    switch phase {
    case .asleep(.betweenFixes, _) where policy.stationary == .asMoving:
      return activity.wake(.moving, now: now)
    case .asleep(.stationary, let until):
      guard let due = stop.nextHintCheck, now < due else { return checkPosition(now: now) }
      return due < until ? activity.changeSleep(.stationary, until: due, now: now) : []
    case .dormant, .asleep, .searching, .settling, .following, .reading: return []
    }
  }

  // MARK: Requests

  private mutating func requestPosition(now: Moment) -> Actions {
    requests.requestPosition(now: now)
    let accuracy = requiredAccuracy(for: phase.wakeReason ?? .check)
    return activity.serveRequest(accuracy: accuracy, now: now)
  }

  /// Continues the search for the request after the wake reason disappeared.
  private mutating func continueForRequest(now: Moment) -> Actions {
    track.endLeg()
    return activity.continueForRequest(accuracy: requiredAccuracy(for: .check), now: now)
  }

  /// Makes one search for the time if no locations are required. A search for a request provides the time, too.
  private mutating func searchForTime(now: Moment) -> Actions {
    guard policy == .off else { return [] }
    requests.requestTime()
    if phase == .dormant { return activity.wake(.first, now: now) }
    activity.continueStart(for: .first)
    return []
  }
}
