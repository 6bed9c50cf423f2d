import Energy
import GNSS
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
/// Inputs are ``PlanEvent``s with their time, outputs are ``PlanAction``s. It performs nothing itself: the owner,
/// ``Tracker``, carries out the actions and calls ``handleTimeout(now:)`` no earlier than ``nextTimeout``. The
/// daemon, a replay and the tests use the same value.
public struct ReceiverPlan: Sendable {
  /// The tracking policy in effect.
  public private(set) var scheme: ReceiverScheme
  /// The receiver's currents, by which states are compared.
  public internal(set) var currents: ReceiverCurrents
  /// The motion sources.
  public internal(set) var evidence: MotionEvidence
  /// Learned durations of the receiver's starts.
  public internal(set) var starts: StartCost
  /// Age and availability of the receiver's ephemerides.
  public internal(set) var ephemerides: EphemerisAge
  /// True if the receiver offers what ``ReceiverScheme/usesCyclicMode`` allows.
  var hasCyclicMode = true
  /// The time of the last return from cyclic tracking to full power.
  var leftCyclicModeAt: Moment?
  /// Number of starts that were learned from.
  var learnedStarts = 0

  var phase = PlanPhase.dormant
  var search = SearchPace()
  var sampling: TrackSampling?
  /// The typical curvature of this device's tracks, learned.
  var restlessness = Restlessness()
  /// The recent speed in m/s; 0 after a long stop.
  var lastPace = 0.0
  var vainWakes = VainWakes()
  /// The last recorded position.
  var lastKept: Sighting?
  var lastSighting: Sighting?
  /// True from a recorded departure to the next recorded arrival.
  var isUnderWay = false
  var isMoving = false {
    didSet { if isMoving != oldValue { changeBegan = nil } }
  }
  /// Start of the time in which the sources contradict ``isMoving``.
  var changeBegan: Moment?
  /// The location of a stationary device, known without the receiver; nil if only the receiver can provide it.
  var knownPlace: Coordinate?
  /// True if the last record is the present stationary position.
  var isRestPlaceKnown = false
  /// Start of the motion whose departure is not confirmed yet.
  var motionBegan: Moment?
  var wokeAt: Moment?
  var firstFixAt: Moment?
  var asleepSince: Moment?
  var restingSince: Moment?
  /// The time at which the motion sources last fell silent.
  var stillSince: Moment?
  /// The interval to the next position check while stationary; nil before the first.
  var checkInterval: Duration?
  /// The last position check caused by a hint.
  var lookedAt: Moment?
  /// Start of the time in which the fixes have settled and none may be recorded.
  var unfitSince: Moment?
  /// End of the back-off after a failed search for a requested position while stationary.
  var vainUntil: Moment?
  /// True while only the time is required. A fix that does not provide it does not count, except for a request.
  var seeksTime = false
  /// The latest start of a search that serves the pending request; nil if no position is requested.
  var awaitedUntil: Moment?
  /// The recent time to settle.
  var settleTime = Duration.seconds(4)
  var lastEpochAt: Moment?
  /// True if the receiver's supply is cut.
  private(set) var isOff = false
  private var evidenceDue: Moment?

  /// Creates a schedule. `starts` holds the learned start times of this receiver, `ephemerides` its backup supply.
  public init(
    _ scheme: ReceiverScheme, currents: ReceiverCurrents, starts: StartCost = StartCost(family: .unknown),
    ephemerides: EphemerisAge = EphemerisAge(hasBackupSupply: true)
  ) {
    self.scheme = scheme
    self.currents = currents
    self.starts = starts
    self.ephemerides = ephemerides
    evidence = MotionEvidence(pauseDelay: scheme.pauseDelay, rules: scheme.motion)
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
  var isAtRest: Bool {
    if case .asleep(.resting, _) = phase { true } else { false }
  }

  /// True during the back-off after a search without reception.
  func isWithoutSky(now: Moment) -> Bool {
    if case .asleep(.withoutSky, _) = phase { return true }
    return vainUntil.map { now < $0 } ?? false
  }

  /// True if there is no fix yet, or one that still improves.
  var isLooking: Bool {
    switch phase {
    case .searching, .settling: true
    case .dormant, .asleep, .following, .reading: false
    }
  }

  /// True if the receiver should provide no fixes.
  var isAsleep: Bool {
    switch phase {
    case .dormant, .asleep: true
    case .searching, .settling, .following, .reading: false
    }
  }

  /// Puts the receiver to sleep, or cuts its supply if that costs less and no departure needs a quick fix.
  mutating func rest(until: Moment?, now: Moment) -> PlanAction {
    isOff = false
    switch phase {
    case .asleep(.betweenFixes, _): break
    // A departure may happen at any time.
    case .asleep(.resting, _) where !ephemerides.hasBackupSupply: break
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
    case .asleep(.resting, _): .stationary
    case .asleep(.withoutSky, _): seeksTime ? .noTime : .noReception
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
      settling.nextTimeout.map { $0 + Self.lateEpoch } ?? unfitSince.map { $0 + scheme.fitPatience }
        ?? lastEpochAt.map { $0 + Self.longestSilence }
    case .reading(let until): until
    }
  }

  /// Handles an event and returns the actions.
  public mutating func handle(_ event: PlanEvent, now: Moment) -> [PlanAction] {
    let wasAtRest = isAtRest
    var actions: [PlanAction] = []
    switch event {
    case .started:
      guard scheme != .off else { return [rest(until: nil, now: now)] }
      actions = answerOrWake(.first, now: now)
    case .timeWanted:
      actions = seekTime(now: now)
    case .timeKnown: seeksTime = false
    case .epoch(let fix): return handle(epoch: fix, mayBeKept: true, now: now)
    case .heard(let strongest): search.heard(strongest: strongest, now: now)
    case .cyclicMode(let isOffered):
      hasCyclicMode = isOffered
      if case .following(cyclic: true, _) = phase, !isOffered { actions = follow(cyclic: false, now: now) }
    case .evidence(let source, let isActive):
      evidence.note(source, isActive: isActive, now: now)
      actions = weighEvidence(now: now)
    case .evidenceLost(let source):
      evidence.forget(source)
      actions = weighEvidence(now: now)
    case .positionWanted: actions = wantPosition(now: now)
    case .lookWanted: actions = look(now: now)
    case .placeKnown(let place): actions = know(place, now: now)
    case .scheme(let scheme):
      actions = adopt(scheme, now: now)
      actions += weighEvidence(now: now)
    }
    return review(actions, wasAtRest: wasAtRest, now: now)
  }

  /// Completes every input: a sleep in the middle of motion ends, and a request that comes too late for the next
  /// search ends.
  private mutating func review(_ actions: [PlanAction], wasAtRest: Bool, now: Moment) -> [PlanAction] {
    let woken = isAtRest && !wasAtRest ? weighEvidence(now: now) : []
    reviewWait()
    evidenceDue = nextChange(now: now)
    return woken.isEmpty ? actions : actions + woken
  }

  /// Handles an epoch of the receiver. A position that a filter rejects, for example for its accuracy, is not
  /// recorded. At the end of a start the schedule waits up to ``ReceiverScheme/fitPatience`` for a better one.
  public mutating func handle(epoch fix: Fix, mayBeKept: Bool, now: Moment) -> [PlanAction] {
    let wasAtRest = isAtRest
    return review(take(fix, mayBeKept: mayBeKept, now: now), wasAtRest: wasAtRest, now: now)
  }

  /// Acts on a deadline that has passed.
  public mutating func handleTimeout(now: Moment) -> [PlanAction] {
    guard let nextTimeout, now >= nextTimeout else { return [] }
    let wasAtRest = isAtRest
    var actions = weighEvidence(now: now)
    if let deadline = phaseDeadline, now >= deadline { actions += endPhase(now: now) }
    return review(actions, wasAtRest: wasAtRest, now: now)
  }

  private func nextChange(now: Moment) -> Moment? {
    Moment.earliest(evidence.nextTimeout(now: now), changeBegan.map { $0 + scheme.requiredMotion })
  }

  private mutating func endPhase(now: Moment) -> [PlanAction] {
    switch phase {
    case .dormant: return []
    case .following: return lose(now: now)
    case .asleep(let pause, _):
      return answerOrWake(pause.errand, now: now)
    case .searching(let errand): return giveUp(errand, now: now)
    case .settling(let errand, let settling):
      var settling = settling
      let isSilent = lastEpochAt.map { now - $0 >= Self.longestSilence } ?? true
      guard settling.handleTimeout(now: now) != .hold, !isSilent, let sighting = lastSighting else {
        return lose(now: now)
      }
      phase = .settling(errand, settling)
      return conclude(errand, sighting, now: now)
    case .reading: return sleepAtRest(now: now)
    }
  }

  /// Puts the receiver to sleep until an event, because nothing requires it. A receiver that sleeps by a timer gets
  /// the command again; otherwise it would wake by itself.
  mutating func lieDown(now: Moment) -> [PlanAction] {
    guard phase != .dormant else { return [] }
    isUnderWay = false
    search.abandoned()
    ephemerides.slept()
    phase = .dormant
    return [rest(until: nil, now: now)]
  }

  private mutating func adopt(_ new: ReceiverScheme, now: Moment) -> [PlanAction] {
    guard new != scheme else { return [] }
    adoptChecks(new)
    let wasOff = scheme == .off
    scheme = new
    seeksTime = false
    evidence.pauseDelay = new.pauseDelay
    evidence.rules = new.motion
    sampling = nil
    guard new != .off else {
      guard isAwaited else { return lieDown(now: now) }
      isUnderWay = false
      return lookOn(now: now)
    }
    switch phase {
    case .dormant: return answerOrWake(.first, now: now)
    case .asleep(let pause, let until):
      switch pause {
      case .resting: return restOn(until: until, now: now)
      // The policy has no influence on reception. Search now only if no locations were required before, or if sleep
      // is no longer allowed.
      case .withoutSky(let errand):
        return wasOff || new.resting == .asMoving ? wake(errand, now: now) : []
      // A fix under the new policy decides what follows.
      case .betweenFixes:
        return isMoving ? wake(pause.errand, now: now) : sleepAtRest(now: now)
      }
    case .searching, .settling: return []
    case .reading: return new.resting == .asMoving ? follow(cyclic: false, now: now) : []
    // A pending request gets the next epoch, and the new policy applies from then on.
    case .following: return isAwaited ? [] : lastSighting.map { proceed($0, now: now) } ?? []
    }
  }
}
