import Energy
import GNSSProtocol
import Quantities

/// The cause of a receiver's sleep. The raw values are fields of events.
public enum SleepCause: String, Sendable {
  case stationary
  case noReception = "no_reception"
  /// A search for the time alone failed.
  case noTime = "no_time"
  /// The settings require no locations.
  case noLocations = "no_locations"
}

/// The schedule of the receiver: decides when it is on and which of its fixes become records.
///
/// Inputs are ``ReceiverScheduleEvent``s with their time, outputs are ``ReceiverScheduleAction``s. It performs nothing itself: the owner,
/// ``Tracker``, carries out the actions and calls ``handleTimeout(now:)`` no earlier than ``nextTimeout``. The
/// daemon, a replay and the tests use the same value.
public struct ReceiverSchedule: Sendable {
  /// The tracking policy in effect.
  public private(set) var policy: TrackingPolicy
  /// The receiver's currents, by which states are compared.
  public package(set) var currents: ReceiverCurrents
  /// The motion sources.
  public package(set) var evidence: MotionEvidence
  /// Learned durations of the receiver's starts.
  public package(set) var starts: StartCost
  /// Age and availability of the receiver's ephemerides.
  public package(set) var ephemerides: EphemerisAge
  /// True if the receiver offers what ``TrackingPolicy/usesCyclicMode`` allows.
  package var hasCyclicMode = true
  /// The time of the last return from cyclic tracking to full power.
  var leftCyclicModeAt: Moment?
  /// Number of starts that were learned from.
  package var learnedStarts = 0

  var phase = ReceiverSchedulePhase.dormant
  var search = AcquisitionTiming()
  var sampling: TrackSampling?
  /// The typical curvature of this device's tracks, learned.
  var curvature = TrackCurvature()
  /// The recent speed in m/s; 0 after a long stop.
  var recentSpeed = 0.0
  var falseWakeUps = FalseWakeUps()
  /// The last recorded position.
  package var lastKept: ScheduleFix?
  package var lastFix: ScheduleFix?
  /// True from a recorded departure to the next recorded arrival.
  package var isTravelling = false
  package var isMoving = false {
    didSet { if isMoving != oldValue { changeBegan = nil } }
  }
  /// Start of the time in which the sources contradict ``isMoving``.
  var changeBegan: Moment?
  /// The location of a stationary device, known without the receiver; nil if only the receiver can provide it.
  package var knownPosition: Coordinate?
  /// True if the last record is the present stationary position.
  var isStopPositionKnown = false
  /// Start of the motion whose departure is not confirmed yet.
  package var motionBegan: Moment?
  var wokeAt: Moment?
  var firstFixAt: Moment?
  var asleepSince: Moment?
  package var stationarySince: Moment?
  /// The time at which the motion sources last fell silent.
  var quietSince: Moment?
  /// The interval to the next position check while stationary; nil before the first.
  var checkInterval: Duration?
  /// The last position check caused by a hint.
  var lastHintCheck: Moment?
  /// Start of the time in which the fixes have settled and none may be recorded.
  var unacceptableSince: Moment?
  /// End of the back-off after a failed search for a requested position while stationary.
  var backOffUntil: Moment?
  /// True while only the time is required. A fix that does not provide it does not count, except for a request.
  package var searchesForTime = false
  /// The latest start of a search that serves the pending request; nil if no position is requested.
  package var requestDeadline: Moment?
  /// The recent time to settle.
  var settleTime = Duration.seconds(4)
  var lastEpochAt: Moment?
  /// True if the receiver's supply is cut.
  private(set) var isOff = false
  private var evidenceDue: Moment?

  /// Creates a schedule. `starts` holds the learned start times of this receiver, `ephemerides` its backup supply.
  public init(
    _ policy: TrackingPolicy, currents: ReceiverCurrents, starts: StartCost = StartCost(family: .unknown),
    ephemerides: EphemerisAge = EphemerisAge(hasBackupSupply: true)
  ) {
    self.policy = policy
    self.currents = currents
    self.starts = starts
    self.ephemerides = ephemerides
    evidence = MotionEvidence(pauseDelay: policy.pauseDelay, rules: policy.motion)
  }

  /// The state that the receiver should be in.
  public var state: ReceiverState {
    switch phase {
    case .dormant, .asleep: isOff ? .off : .backup
    case .searching: .searching
    case .settling: .settling
    case .following(let cyclic, _): cyclic ? .cyclic : .tracking
    case .reading: .tracking
    }
  }

  /// True if the receiver sleeps because the device is stationary.
  package var isAsleepWhileStationary: Bool {
    if case .asleep(.stationary, _) = phase { true } else { false }
  }

  /// True during the back-off after a search without reception.
  package func lacksReception(now: Moment) -> Bool {
    if case .asleep(.withoutReception, _) = phase { return true }
    return backOffUntil.map { now < $0 } ?? false
  }

  /// True if there is no fix yet, or one that still improves.
  package var isAcquiring: Bool {
    switch phase {
    case .searching, .settling: true
    case .dormant, .asleep, .following, .reading: false
    }
  }

  /// True if the receiver should provide no fixes.
  package var isAsleep: Bool {
    switch phase {
    case .dormant, .asleep: true
    case .searching, .settling, .following, .reading: false
    }
  }

  /// Puts the receiver to sleep, or cuts its supply if that costs less and no departure needs a quick fix.
  mutating func sleep(until: Moment?, now: Moment) -> ReceiverScheduleAction {
    isOff = false
    switch phase {
    case .asleep(.betweenFixes, _): break
    // A departure may happen at any time.
    case .asleep(.stationary, _) where !ephemerides.hasBackupSupply: break
    case .dormant, .asleep, .searching, .settling, .following, .reading:
      let cold = starts.expected(.cold, asleep: nil) - starts.expected(.hot, asleep: nil)
      let depth = SleepDepth.ofPause(
        until.map { $0 - now }, coldStart: ephemerides.hasBackupSupply ? nil : cold, currents: currents)
      isOff = depth == .off
    }
    if isOff { ephemerides.supplyCut() }
    return .receiver(isOff ? .off : .backup, until: until)
  }

  /// The cause of the receiver's sleep; nil while it is awake, and between two fixes while moving.
  public var sleepCause: SleepCause? {
    switch phase {
    case .asleep(.stationary, _): .stationary
    case .asleep(.withoutReception, _): searchesForTime ? .noTime : .noReception
    case .dormant: .noLocations
    case .asleep(.betweenFixes, _), .searching, .settling, .following, .reading: nil
    }
  }

  /// The next deadline; nil if only an event can change anything.
  public var nextTimeout: Moment? {
    [phaseDeadline, evidenceDue].compactMap { $0 }.min()
  }

  private var phaseDeadline: Moment? {
    switch phase {
    case .dormant: nil
    case .following(_, let since): max(lastEpochAt ?? since, since) + Self.longestSilence
    case .asleep(_, let until): until
    case .searching: search.nextTimeout
    // The last epoch may be slightly late, and waiting for it is worthwhile.
    case .settling(_, let settling):
      settling.nextTimeout.map { $0 + Self.lateEpoch } ?? unacceptableSince.map {
        $0 + policy.acceptableFixTimeout
      }
        ?? lastEpochAt.map { $0 + Self.longestSilence }
    case .reading(let until): until
    }
  }

  /// Handles an event and returns the actions.
  public mutating func handle(_ event: ReceiverScheduleEvent, now: Moment) -> [ReceiverScheduleAction] {
    let wasAsleepWhileStationary = isAsleepWhileStationary
    var actions: [ReceiverScheduleAction] = []
    switch event {
    case .started:
      guard policy != .off else { return [sleep(until: nil, now: now)] }
      actions = answerOrWake(.first, now: now)
    case .timeRequested:
      actions = searchForTime(now: now)
    case .timeKnown: searchesForTime = false
    case .epoch(let fix): return handle(epoch: fix, mayBeKept: true, now: now)
    case .received(let strongest): search.received(strongest: strongest, now: now)
    case .cyclicMode(let isOffered):
      hasCyclicMode = isOffered
      if case .following(cyclic: true, _) = phase, !isOffered { actions = follow(cyclic: false, now: now) }
    case .evidence(let source, let isActive):
      evidence.record(source, isActive: isActive, now: now)
      actions = weighEvidence(now: now)
    case .evidenceLost(let source):
      evidence.forget(source)
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

  /// Completes every input: a sleep in the middle of motion ends, and a request that comes too late for the next
  /// search ends.
  private mutating func review(
    _ actions: [ReceiverScheduleAction], wasAsleepWhileStationary: Bool, now: Moment
  ) -> [ReceiverScheduleAction] {
    let woken = isAsleepWhileStationary && !wasAsleepWhileStationary ? weighEvidence(now: now) : []
    reviewRequest()
    evidenceDue = nextChange(now: now)
    return woken.isEmpty ? actions : actions + woken
  }

  /// Handles an epoch of the receiver. A position that a filter rejects, for example for its accuracy, is not
  /// recorded. At the end of a start the schedule waits up to ``TrackingPolicy/acceptableFixTimeout`` for a better one.
  public mutating func handle(epoch fix: Fix, mayBeKept: Bool, now: Moment) -> [ReceiverScheduleAction] {
    let wasAsleepWhileStationary = isAsleepWhileStationary
    return review(
      take(fix, mayBeKept: mayBeKept, now: now), wasAsleepWhileStationary: wasAsleepWhileStationary, now: now)
  }

  /// Acts on a deadline that has passed.
  public mutating func handleTimeout(now: Moment) -> [ReceiverScheduleAction] {
    guard let nextTimeout, now >= nextTimeout else { return [] }
    let wasAsleepWhileStationary = isAsleepWhileStationary
    var actions = weighEvidence(now: now)
    if let deadline = phaseDeadline, now >= deadline { actions += endPhase(now: now) }
    return review(actions, wasAsleepWhileStationary: wasAsleepWhileStationary, now: now)
  }

  private func nextChange(now: Moment) -> Moment? {
    Moment.earliest(evidence.nextTimeout(now: now), changeBegan.map { $0 + policy.requiredMotion })
  }

  private mutating func endPhase(now: Moment) -> [ReceiverScheduleAction] {
    switch phase {
    case .dormant: return []
    case .following: return lose(now: now)
    case .asleep(let pause, _):
      return answerOrWake(pause.wakeReason, now: now)
    case .searching(let wakeReason): return giveUp(wakeReason, now: now)
    case .settling(let wakeReason, let settling):
      var settling = settling
      let isSilent = lastEpochAt.map { now - $0 >= Self.longestSilence } ?? true
      guard settling.handleTimeout(now: now) != .wait, !isSilent, let fix = lastFix else {
        return lose(now: now)
      }
      phase = .settling(wakeReason, settling)
      return conclude(wakeReason, fix, now: now)
    case .reading: return sleepWhileStationary(now: now)
    }
  }

  /// Puts the receiver to sleep until an event, because nothing requires it. A receiver that sleeps by a timer gets
  /// the command again; otherwise it would wake by itself.
  mutating func becomeDormant(now: Moment) -> [ReceiverScheduleAction] {
    guard phase != .dormant else { return [] }
    isTravelling = false
    search.abandoned()
    ephemerides.slept()
    phase = .dormant
    return [sleep(until: nil, now: now)]
  }

  private mutating func adopt(_ new: TrackingPolicy, now: Moment) -> [ReceiverScheduleAction] {
    guard new != policy else { return [] }
    adoptChecks(new)
    let wasOff = policy == .off
    policy = new
    searchesForTime = false
    evidence.pauseDelay = new.pauseDelay
    evidence.rules = new.motion
    sampling = nil
    guard new != .off else {
      guard isPositionRequested else { return becomeDormant(now: now) }
      isTravelling = false
      return continueSearch(now: now)
    }
    switch phase {
    case .dormant: return answerOrWake(.first, now: now)
    case .asleep(let pause, let until):
      switch pause {
      case .stationary: return continueSleep(until: until, now: now)
      // The policy has no influence on reception. Search now only if no locations were required before, or if sleep
      // is no longer allowed.
      case .withoutReception(let wakeReason):
        return wasOff || new.stationary == .asMoving ? wake(wakeReason, now: now) : []
      // A fix under the new policy decides what follows.
      case .betweenFixes:
        return isMoving ? wake(pause.wakeReason, now: now) : sleepWhileStationary(now: now)
      }
    case .searching, .settling: return []
    case .reading: return new.stationary == .asMoving ? follow(cyclic: false, now: now) : []
    // A pending request gets the next epoch, and the new policy applies from then on.
    case .following: return isPositionRequested ? [] : lastFix.map { proceed($0, now: now) } ?? []
    }
  }
}
