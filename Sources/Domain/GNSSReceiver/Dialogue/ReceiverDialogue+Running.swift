import GNSSProtocol
import Quantities

// Normal operation of the receiver, until it falls silent, restarts or gets a request.
extension ReceiverDialogue {
  /// Start announcements within this time belong to one start.
  static let oneStart = Duration.seconds(5)
  static let mostContradictions = 3
  static let mostSilences = 8
  /// Uptime in milliseconds above which the counter may wrap to 0 before the next poll.
  static let latestUptime = UInt32.max - 3_600_000

  /// Enters the phase after all commands: running, or falling asleep if requested.
  mutating func settle(now: Moment, setUpAt: Moment? = nil, _ actions: inout [DialogueAction]) {
    sleepIfOver(now: now)
    if isDesiredSetUpNew, dialect != nil, setUpAt == nil { return beginSetUp(now: now, &actions) }
    if case .asleep(let until) = desiredState, !isKeptAwake {
      return fallAsleep(until: until, now: now, &actions)
    }
    clearSavedState(now: now, &actions)
    run(now: now, setUpAt: setUpAt)
  }

  mutating func run(now: Moment, setUpAt: Moment? = nil) {
    var running = Running(
      interval: interval * (1 << min(silences, Self.mostSilences)),
      watchesSilence: settings.control == .full && desiredState == .awake, now: now)
    running.setUpAt = setUpAt.map { max($0, now.after(.zero)) }
    if identity?.family == .unknown, unansweredRounds == 1 { running.identifyAt = now + .seconds(60) }
    running.aidAt = aidIsDueAt(now: now)
    running.healthAt = healthIsDueAt(now: now)
    running.adjustAt = adjustmentIsDueAt(now: now)
    if case .running(let before) = phase { running.batching = before.batching }
    phase = .running(running)
  }

  mutating func follow(_ outcome: Running.Outcome, now: Moment, _ actions: inout [DialogueAction]) {
    switch outcome {
    case .talking: break
    case .garbled: find(now: now, &actions)
    case .silent:
      silences = min(silences + 1, Self.mostSilences)
      mayHaveLostSettings = true
      if applied.power != .continuous { giveUpCyclicMode(command: nil, &actions) }
      actions.append(.report(.fellSilent))
      if dialect == nil { find(now: now, &actions) } else { wake(now: now, &actions) }
    case .setUpIsDue: configure(now: now, &actions)
    case .identificationIsDue: identify(now: now, &actions)
    case .aidIsDue: aid(now: now, &actions)
    case .healthIsDue: askHealth(now: now, &actions)
    case .adjustmentIsDue: adjust(now: now, &actions)
    case .batchIsDue: batch(now: now, &actions)
    }
  }

  // MARK: Evidence in the answers

  /// Handles a start announcement. Without receiver control it only affects the fixes that are held back.
  mutating func detectStart(_ answer: ReceiverAnswer) {
    if case .started = answer { gate.arm() }
  }

  /// Detects a start that was not requested: announced, or shown by a smaller uptime.
  mutating func detectRestart(_ answer: ReceiverAnswer, now: Moment, _ actions: inout [DialogueAction]) {
    switch answer {
    case .started: break
    case .sinceStart(_, let uptime):
      let hasFallen = lastUptime.map { uptime < $0 && $0 < Self.latestUptime } ?? false
      lastUptime = uptime
      guard hasFallen else { return }
    case .acknowledge, .pmtk, .pair, .pqtm, .casic, .version, .savedState, .aiding, .antenna, .jamming,
      .spoofing,
      .batch, .storedEpoch, .errorText, .foreign:
      return
    }
    gate.arm()
    if let lastRestart, now - lastRestart < Self.oneStart { return }
    lastRestart = now
    recordNewStart(isBlank: true, now: now)
    actions.append(.report(.restarted))
    if dialect != nil { configure(now: now, &actions) }
  }

  /// Identifies the receiver again if `answer` belongs to another family; true if it does.
  mutating func detectContradiction(
    _ answer: ReceiverAnswer, now: Moment, _ actions: inout [DialogueAction]
  ) -> Bool {
    guard let families = answer.families, let identity, !families.contains(identity.family),
      contradictions < Self.mostContradictions
    else { return false }
    contradictions += 1
    self.identity = nil
    isConfirmed = false
    identify(now: now, &actions)
    return true
  }

  // MARK: Requests

  mutating func request(_ desiredState: DesiredReceiverState, now: Moment, _ actions: inout [DialogueAction])
  {
    switch desiredState {
    case .setUp(let setUp):
      desired.setUp = setUp
      isDesiredSetUpNew = setUp != applied.setUp
      if isRunning, !isBatching, isDesiredSetUpNew, dialect != nil { beginSetUp(now: now, &actions) }
    case .awake: requestWake(now: now, &actions)
    case .asleep(let duration, let withoutSupply):
      guard settings.control == .full else {
        actions.append(.report(.doesNotSleep(.notAllowed)))
        return
      }
      shouldCutSupply = withoutSupply
      requestSleep(until: duration.map { now + $0 }, now: now, &actions)
    case .foundAgain: if case .running = phase { find(now: now, &actions) }
    case .restarted(let kind): restart(kind, now: now, &actions)
    case .aid(let aid): learn(aid, now: now)
    case .satellites(let isRequested): request(satellites: isRequested, now: now)
    case .satellitesOnce: askSatellitesOnce(now: now, &actions)
    case .satelliteRequestEnded:
      isAskedForSatellites = false
      adjustIfDue(now: now)
    case .power(let power): request(power: power, now: now)
    case .batches(let latencyBudget): desiredLatencyBudget = max(latencyBudget, .zero)
    case .storedEpochs: retrieve(now: now, &actions)
    }
  }

  /// The time that a start takes, with margin.
  private static let startTime = Duration.seconds(3)

  private mutating func restart(_ kind: StartKind, now: Moment, _ actions: inout [DialogueAction]) {
    guard settings.control == .full, case .running = phase, let command = dialect?.restart(kind) else {
      return
    }
    gate.arm()
    // A banner within this time belongs to this start.
    lastRestart = now
    lastUptime = nil
    switch kind {
    case .hot: break
    // The receiver does not read before it has started.
    case .warm, .cold: recordNewStart(isBlank: true, now: now + Self.startTime)
    }
    actions.append(.write(command.bytes))
    run(now: now, setUpAt: now + Self.startTime)
  }
}
