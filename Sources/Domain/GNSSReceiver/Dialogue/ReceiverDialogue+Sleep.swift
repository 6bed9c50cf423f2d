import GNSSProtocol
import Quantities

// Putting the receiver to sleep and waking it.
extension ReceiverDialogue {
  /// Duration of a sleep that resets the back-off of unrequested wake-ups.
  static let sleepBackOffResetTime = Duration.seconds(3600)

  mutating func requestSleep(until: Moment?, now: Moment, _ actions: inout [DialogueAction]) {
    desiredState = .asleep(until: until)
    isKeptAwake = false
    silences = 0
    switch phase {
    case .running:
      // Stored epochs are retrieved first.
      if !isBatching { fallAsleep(until: until, now: now, &actions) }
    case .asleep(var asleep):
      asleep.change(until: until, now: now)
      phase = .asleep(asleep)
    case .fallingAsleep(var falling):
      falling.until = until
      phase = .fallingAsleep(falling)
    case .closed, .finding:
      // The identity may be unknown, but without its supply the receiver is asleep.
      guard settings.hasEnableLine else { return }
      switchOff(&actions)
      gate.arm()
      phase =
        line.isOpen
        ? .asleep(Asleep(byLine: true, losesSettings: true, until: until, now: now))
        : .closed(wakesAt: until.map { max($0, now.after(.zero)) })
    case .identifying, .settingUp, .changingSpeed, .waking: break
    }
  }

  mutating func requestWake(now: Moment, _ actions: inout [DialogueAction]) {
    let wasAwake = desiredState == .awake
    desiredState = .awake
    isKeptAwake = false
    sleepBackOff.reset()
    if !wasAwake { silences = 0 }
    switch phase {
    case .asleep(let asleep): wake(from: asleep, now: now, &actions)
    case .fallingAsleep(let falling):
      if isSaving(falling) {
        // The receiver may have saved its state already.
        savedState.isKept = true
      } else {
        expectLoss(after: falling.means, now: now)
      }
      wake(now: now, &actions)
    case .closed:
      switchOn(&actions)
      phase = .closed(wakesAt: nil)
    case .finding: switchOn(&actions)
    case .running(let running):
      guard !wasAwake else { return }
      run(now: now, setUpAt: running.setUpAt)
    case .identifying, .settingUp, .changingSpeed, .waking: break
    }
  }

  // MARK: Falling asleep

  mutating func fallAsleep(until: Moment?, now: Moment, _ actions: inout [DialogueAction]) {
    guard let means = meansOfSleep(until: until, now: now) else {
      let hasSleepSequence = dialect?.sleep(for: nil) != nil
      return keepAwake(hasSleepSequence ? .needsPin : .noCommand, now: now, &actions)
    }
    fallAsleep(by: means, until: until, now: now, &actions)
  }

  private mutating func fallAsleep(
    by means: FallingAsleep.Means, until: Moment?, now: Moment, _ actions: inout [DialogueAction]
  ) {
    gate.arm()
    var falling = FallingAsleep(
      endingCyclicMode(means), saving: commandsToSave(before: means, now: now), until: until,
      interval: interval)
    falling.begin(line: line, now: now, &actions)
    recordSaving(falling)
    phase = .fallingAsleep(falling)
  }

  /// The means of sleep. A command that the line can revoke comes first unless a cut is requested, then the
  /// enable line, then a lighter sleep. A deep sleep without a way to wake the receiver is used only for a
  /// duration.
  private func meansOfSleep(until: Moment?, now: Moment) -> FallingAsleep.Means? {
    if shouldCutSupply, settings.hasEnableLine { return .enableLine }
    let sequence = dialect?.sleep(for: until.map { max($0 - now, .milliseconds(1)) })
    if let sequence, !sequence.needsPin { return .sequence(sequence) }
    if settings.hasEnableLine { return .enableLine }
    if let doze = dialect?.doze() { return .sequence(doze) }
    guard let sequence, until != nil else { return nil }
    return .sequence(sequence)
  }

  private mutating func keepAwake(
    _ obstacle: SleepObstacle, now: Moment, _ actions: inout [DialogueAction]
  ) {
    isKeptAwake = true
    actions.append(.report(.doesNotSleep(obstacle)))
    run(now: now)
  }

  mutating func follow(
    _ outcome: FallingAsleep.Outcome, of falling: FallingAsleep, now: Moment,
    _ actions: inout [DialogueAction]
  ) {
    switch outcome {
    case .working: break
    case .asleep: enterSleep(after: falling, now: now, &actions)
    case .keepsTalking:
      if case .sequence = falling.means, settings.hasEnableLine {
        return fallAsleep(by: .enableLine, until: falling.until, now: now, &actions)
      }
      switchOn(&actions)
      resume(&actions)
      keepAwake(.keepsTalking, now: now, &actions)
    }
  }

  mutating func enterSleep(after falling: FallingAsleep, now: Moment, _ actions: inout [DialogueAction]) {
    let (byLine, losesSettings) =
      switch falling.means {
      case .enableLine: (true, true)
      case .sequence(let sequence): (false, sequence.losesSettings)
      }
    lastUptime = nil
    actions.append(.report(.asleep))
    phase = .asleep(
      Asleep(byLine: byLine, losesSettings: losesSettings, until: falling.until, now: now))
  }

  mutating func follow(
    _ outcome: Asleep.Outcome, of asleep: Asleep, now: Moment, _ actions: inout [DialogueAction]
  ) {
    switch outcome {
    case .sleeping: break
    case .woke:
      desiredState = .awake
      if asleep.losesSettings { expectLoss(now: now) }
      awoke(now: now, &actions)
    case .wokeUnasked:
      if now - asleep.since > Self.sleepBackOffResetTime { sleepBackOff.reset() }
      var asleep = asleep
      asleep.sleepsAgainAt = now.after(sleepBackOff.next())
      phase = .asleep(asleep)
    }
  }

  /// Wakes the receiver at the end of its sleep, else repeats the sleep command.
  mutating func endSleep(_ asleep: Asleep, now: Moment, _ actions: inout [DialogueAction]) {
    if let wakesAt = asleep.wakesAt, now >= wakesAt {
      desiredState = .awake
      wake(from: asleep, now: now, &actions)
    } else {
      fallAsleep(until: asleep.until, now: now, &actions)
    }
  }

  // MARK: Waking

  private mutating func wake(from asleep: Asleep, now: Moment, _ actions: inout [DialogueAction]) {
    if asleep.losesSettings { expectLoss(now: now) }
    wake(now: now, &actions)
  }

  mutating func wake(now: Moment, _ actions: inout [DialogueAction]) {
    gate.arm()
    guard line.isOpen else {
      switchOn(&actions)
      phase = .closed(wakesAt: nil)
      return
    }
    var sequence = dialect?.wake() ?? WakeSequence(bytes: [], pause: .zero, commands: [])
    if savedState.isStopped { sequence.commands += dialect?.resume() ?? [] }
    var waking = Waking(
      sequence, speeds: wakeSpeeds, isOff: enabled == false,
      hasEnableLine: settings.hasEnableLine, interval: interval, line: line)
    // The waking phase leaves the line on.
    if settings.hasEnableLine { enabled = true }
    waking.begin(line: &line, now: now, &actions)
    phase = .waking(waking)
  }

  private var wakeSpeeds: [UInt32] {
    switch settings.speed {
    case .fixed: []
    case .automatic: identity?.family.factorySpeeds ?? []
    }
  }

  mutating func follow(
    _ outcome: Waking.Outcome, of waking: Waking, now: Moment, _ actions: inout [DialogueAction]
  ) {
    switch outcome {
    case .working: break
    case .awake:
      if waking.wasOff || line.effectiveSpeed != known?.speed { expectLoss(now: now) }
      awoke(now: now, &actions)
    case .failed:
      actions.append(.report(.doesNotWake))
      find(now: now, &actions)
    }
  }

  private mutating func awoke(now: Moment, _ actions: inout [DialogueAction]) {
    // A banner within this time belongs to the wake-up.
    lastRestart = now
    lastUptime = nil
    savedState.isStopped = false
    recordNewStart(isBlank: mayHaveLostSettings, now: now)
    actions.append(.report(.awake))
    guard mayHaveLostSettings, dialect != nil else { return settle(now: now, &actions) }
    configure(now: now, &actions)
  }

  private mutating func expectLoss(after means: FallingAsleep.Means, now: Moment) {
    switch means {
    case .enableLine: expectLoss(now: now)
    case .sequence(let sequence): if sequence.losesSettings { expectLoss(now: now) }
    }
  }

  /// Allows the configuration to be sent without back-off, because the loss of settings is expected and not a fault.
  private mutating func expectLoss(now: Moment) {
    mayHaveLostSettings = true
    setUpBackOff.reset()
    nextSetUp = now
  }
}

extension ReceiverFamily {
  /// The baud rates of modules with factory settings, in bit/s.
  var factorySpeeds: [UInt32] {
    switch self {
    case .ubloxMessages: [9600]
    case .ubloxKeys: [38_400, 9600]
    case .mediaTek: [9600]
    case .airoha: [115_200, 9600]
    case .quectel: [115_200, 460_800]
    case .casic: [9600, 115_200]
    case .sirf: [4800, 9600]
    case .unknown: []
    }
  }
}
