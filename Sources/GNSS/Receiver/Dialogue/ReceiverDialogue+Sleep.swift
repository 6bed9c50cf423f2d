import Quantities

// Putting the receiver to sleep and waking it.
extension ReceiverDialogue {
  /// Duration of a sleep that resets the back-off of unrequested wake-ups.
  static let soundSleep = Duration.seconds(3600)

  mutating func wantAsleep(until: Moment?, now: Moment, _ actions: inout [DialogueAction]) {
    demand = .asleep(until: until)
    isExcusedFromSleep = false
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

  mutating func wantAwake(now: Moment, _ actions: inout [DialogueAction]) {
    let wasAwake = demand == .awake
    demand = .awake
    isExcusedFromSleep = false
    sleepRests.reset()
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
      let hasRecipe = dialect?.sleep(for: nil) != nil
      return excuse(hasRecipe ? .needsPin : .noCommand, now: now, &actions)
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
    noteSaving(falling)
    phase = .fallingAsleep(falling)
  }

  /// The means of sleep. A command that the line can revoke comes first unless a cut is requested, then the
  /// enable line, then a lighter sleep. A deep sleep without a way to wake the receiver is used only for a
  /// duration.
  private func meansOfSleep(until: Moment?, now: Moment) -> FallingAsleep.Means? {
    if isCutWanted, settings.hasEnableLine { return .enableLine }
    let recipe = dialect?.sleep(for: until.map { max($0 - now, .milliseconds(1)) })
    if let recipe, !recipe.needsPin { return .recipe(recipe) }
    if settings.hasEnableLine { return .enableLine }
    if let doze = dialect?.doze() { return .recipe(doze) }
    guard let recipe, until != nil else { return nil }
    return .recipe(recipe)
  }

  private mutating func excuse(
    _ obstacle: SleepObstacle, now: Moment, _ actions: inout [DialogueAction]
  ) {
    isExcusedFromSleep = true
    actions.append(.report(.doesNotSleep(obstacle)))
    run(now: now)
  }

  mutating func follow(
    _ outcome: FallingAsleep.Outcome, of falling: FallingAsleep, now: Moment,
    _ actions: inout [DialogueAction]
  ) {
    switch outcome {
    case .working: break
    case .asleep: rest(after: falling, now: now, &actions)
    case .keepsTalking:
      if case .recipe = falling.means, settings.hasEnableLine {
        return fallAsleep(by: .enableLine, until: falling.until, now: now, &actions)
      }
      switchOn(&actions)
      resume(&actions)
      excuse(.keepsTalking, now: now, &actions)
    }
  }

  mutating func rest(after falling: FallingAsleep, now: Moment, _ actions: inout [DialogueAction]) {
    let (byLine, losesSettings) =
      switch falling.means {
      case .enableLine: (true, true)
      case .recipe(let recipe): (false, recipe.losesSettings)
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
      demand = .awake
      if asleep.losesSettings { expectLoss(now: now) }
      awoke(now: now, &actions)
    case .wokeUnasked:
      if now - asleep.since > Self.soundSleep { sleepRests.reset() }
      var asleep = asleep
      asleep.sleepsAgainAt = now.after(sleepRests.next())
      phase = .asleep(asleep)
    }
  }

  /// Wakes the receiver at the end of its sleep, else repeats the sleep command.
  mutating func endSleep(_ asleep: Asleep, now: Moment, _ actions: inout [DialogueAction]) {
    if let wakesAt = asleep.wakesAt, now >= wakesAt {
      demand = .awake
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
    var recipe = dialect?.wake() ?? WakeRecipe(bytes: [], pause: .zero, commands: [])
    if savedState.isStopped { recipe.commands += dialect?.resume() ?? [] }
    var waking = Waking(
      recipe, speeds: wakeSpeeds, isOff: enabled == false,
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
      if waking.wasOff || line.namedSpeed != known?.speed { expectLoss(now: now) }
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
    noteNewStart(isBlank: isForgetful, now: now)
    actions.append(.report(.awake))
    guard isForgetful, dialect != nil else { return settle(now: now, &actions) }
    configure(now: now, &actions)
  }

  private mutating func expectLoss(after means: FallingAsleep.Means, now: Moment) {
    switch means {
    case .enableLine: expectLoss(now: now)
    case .recipe(let recipe): if recipe.losesSettings { expectLoss(now: now) }
    }
  }

  /// Allows the configuration to be sent without back-off, because the loss of settings is expected and not a fault.
  private mutating func expectLoss(now: Moment) {
    isForgetful = true
    setUpRests.reset()
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
