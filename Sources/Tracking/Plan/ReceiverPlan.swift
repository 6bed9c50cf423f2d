import Energy
import GNSS
import Quantities

/// The cause of a receiver's sleep. The raw values are fields of events.
public enum SleepCause: String, Sendable {
  case stationary
  case noReception = "no_reception"
  /// The search was for the time alone.
  case noTime = "no_time"
  /// The settings require none.
  case noLocations = "no_locations"
}

/// Decides when the receiver works and which of its fixes become records.
///
/// It performs nothing: tell it what happened and when, carry out the actions it returns, and call
/// ``handleTimeout(now:)`` no earlier than ``nextTimeout``. The same value serves the daemon, a replay and the tests.
public struct ReceiverPlan: Sendable {
  public private(set) var scheme: ReceiverScheme
  public internal(set) var currents: ReceiverCurrents
  public internal(set) var evidence: MotionEvidence
  /// What starts take, learned.
  public internal(set) var starts: StartCost
  public internal(set) var ephemerides: EphemerisAge
  /// The receiver does what ``ReceiverScheme/usesCyclicMode`` allows.
  var hasCyclicMode = true
  /// When it was last told to track at full power after cyclic mode.
  var leftCyclicModeAt: Moment?
  /// How many starts it has learned from.
  var learnedStarts = 0

  var phase = PlanPhase.dormant
  var search = SearchPace()
  var sampling: TrackSampling?
  /// How much the ways of this box bend, learned.
  var restlessness = Restlessness()
  /// The speed of late in m/s; 0 after a rest that was no short one.
  var lastPace = 0.0
  var vainWakes = VainWakes()
  /// The place of the last record.
  var lastKept: Sighting?
  var lastSighting: Sighting?
  /// A departure was recorded, and no arrival since.
  var isUnderWay = false
  var isMoving = false {
    didSet { if isMoving != oldValue { changeBegan = nil } }
  }
  /// Since when the evidence says otherwise.
  var changeBegan: Moment?
  /// Where a stationary box is, without the receiver; nil if only the receiver can tell.
  var knownPlace: Coordinate?
  /// The last record is where the box rests.
  var isRestPlaceKnown = false
  /// When the motion began that a departure is still to answer.
  var motionBegan: Moment?
  var wokeAt: Moment?
  var firstFixAt: Moment?
  var asleepSince: Moment?
  var restingSince: Moment?
  /// When the evidence last fell silent.
  var stillSince: Moment?
  /// The interval to the next check at rest; nil before the first.
  var checkInterval: Duration?
  /// The last look that a hint brought about.
  var lookedAt: Moment?
  /// Since when the fixes of an errand are as good as they get, and none may be kept.
  var unfitSince: Moment?
  /// At rest a fix that somebody asked for was looked for in vain: until then another look is not worth its charge.
  var vainUntil: Moment?
  /// Nothing but the time is looked for: a fix that does not tell it is none, but to whoever waits for a position.
  var seeksTime = false
  /// Somebody waits for a position: for a look that begins until then.
  var awaitedUntil: Moment?
  /// What settling took of late.
  var settleTime = Duration.seconds(4)
  var lastEpochAt: Moment?
  /// It sleeps without its supply.
  private(set) var isOff = false
  private var evidenceDue: Moment?

  /// `starts` holds what was learned of this receiver's starts, `ephemerides` what it knows of its backup supply.
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

  /// What the receiver is to be doing.
  public var state: ReceiverState {
    switch phase {
    case .dormant, .asleep: isOff ? .off : .backup
    case .searching: .searching
    case .settling: .settling
    case .following(let cyclic, _): cyclic ? .cyclic : .tracking
    case .reading: .tracking
    }
  }

  /// It sleeps because nothing moves.
  var isAtRest: Bool {
    if case .asleep(.resting, _) = phase { true } else { false }
  }

  /// The sky was looked for in vain, and is looked for again later.
  func isWithoutSky(now: Moment) -> Bool {
    if case .asleep(.withoutSky, _) = phase { return true }
    return vainUntil.map { now < $0 } ?? false
  }

  /// It has no fix yet, or one that still gets better.
  var isLooking: Bool {
    switch phase {
    case .searching, .settling: true
    case .dormant, .asleep, .following, .reading: false
    }
  }

  /// The receiver is not to give fixes.
  var isAsleep: Bool {
    switch phase {
    case .dormant, .asleep: true
    case .searching, .settling, .following, .reading: false
    }
  }

  /// Lets the receiver sleep, or cuts its supply where that is cheaper and no departure would find it cold.
  mutating func rest(until: Moment?, now: Moment) -> PlanAction {
    isOff = false
    switch phase {
    case .asleep(.betweenFixes, _): break
    // A departure may come at any moment.
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

  public var nextTimeout: Moment? {
    [phaseDeadline, evidenceDue].compactMap { $0 }.min()
  }

  private var phaseDeadline: Moment? {
    switch phase {
    case .dormant: nil
    case .following(_, let since): max(lastEpochAt ?? since, since) + Self.longestSilence
    case .asleep(_, let until): until
    case .searching: search.nextTimeout
    // Its last epoch may be a little late, and is worth waiting for.
    case .settling(_, let settling):
      settling.nextTimeout.map { $0 + Self.lateEpoch } ?? unfitSince.map { $0 + scheme.fitPatience }
        ?? lastEpochAt.map { $0 + Self.longestSilence }
    case .reading(let until): until
    }
  }

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

  /// What holds after everything that is told: a rest in the midst of motion is none, and nobody waits for a look that
  /// does not come.
  private mutating func review(_ actions: [PlanAction], wasAtRest: Bool, now: Moment) -> [PlanAction] {
    let woken = isAtRest && !wasAtRest ? weighEvidence(now: now) : []
    reviewWait()
    evidenceDue = nextChange(now: now)
    return woken.isEmpty ? actions : actions + woken
  }

  /// An epoch of the receiver. A position that a filter holds back, for its accuracy or else, becomes no record: the
  /// plan waits for a better one, as long as ``ReceiverScheme/fitPatience`` at the end of a start.
  public mutating func handle(epoch fix: Fix, mayBeKept: Bool, now: Moment) -> [PlanAction] {
    let wasAtRest = isAtRest
    return review(take(fix, mayBeKept: mayBeKept, now: now), wasAtRest: wasAtRest, now: now)
  }

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

  /// Nothing is wanted of the receiver. One that sleeps by a timer is told too, or it would wake by itself.
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
      // Whether there is a sky does not hang on the words; only who wanted no positions, or is never to sleep, looks now.
      case .withoutSky(let errand):
        return wasOff || new.resting == .asMoving ? wake(errand, now: now) : []
      // A fix under the new words decides what comes next.
      case .betweenFixes:
        return isMoving ? wake(pause.errand, now: now) : sleepAtRest(now: now)
      }
    case .searching, .settling: return []
    case .reading: return new.resting == .asMoving ? follow(cyclic: false, now: now) : []
    // Who waits gets the next epoch; the words count from it on.
    case .following: return isAwaited ? [] : lastSighting.map { proceed($0, now: now) } ?? []
    }
  }
}
