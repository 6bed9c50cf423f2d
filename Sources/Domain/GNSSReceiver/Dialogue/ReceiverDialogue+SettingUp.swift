import Quantities

// Configuration of the receiver: baud rate and desired settings.
extension ReceiverDialogue {
  /// Time without a restart after which the next one is configured without back-off.
  static let setUpBackOffResetTime = Duration.seconds(7200)

  var dialect: (any Dialect)? {
    guard let identity, identity.family != .unknown else { return nil }
    return GNSSReceiver.dialect(for: identity)
  }

  var interval: Duration {
    let desiredInterval = (applied.setUp ?? desired.setUp)?.interval ?? known?.interval ?? 1000
    var interval = Duration.milliseconds(min(max(desiredInterval, 1), 3_600_000))
    if case .cyclic(let seconds)? = applied.setUp?.power {
      interval = max(interval, .seconds(min(max(seconds, 1), 3600)))
    }
    return interval
  }

  /// Sends the complete configuration; delays it after repeated configurations.
  mutating func configure(now: Moment, _ actions: inout [DialogueAction]) {
    guard now >= nextSetUp else {
      mayHaveLostSettings = true
      settle(now: now, setUpAt: nextSetUp, &actions)
      return
    }
    if now - nextSetUp > Self.setUpBackOffResetTime { setUpBackOff.reset() }
    nextSetUp = now + setUpBackOff.next()
    beginSetUp(now: now, &actions)
  }

  mutating func beginSetUp(now: Moment, _ actions: inout [DialogueAction]) {
    isDesiredSetUpNew = false
    mayHaveLostSettings = false
    guard let dialect, let identity else { return settle(now: now, &actions) }
    var commands = desired.setUp.map { dialect.setUp($0) } ?? []
    let change = speedChange(dialect)
    let digest = KnownReceiver.digest(of: commands, speed: change?.speed ?? line.effectiveSpeed)
    // A configuration that the receiver has stored is not written to its memory again.
    let isKept = change == nil && (commands.isEmpty || known?.setUp == digest)
    let keep = isKept ? [] : dialect.keep()
    let sent = commands
    if !isConfirmed, commands.allSatisfy({ !$0.awaitsReply }),
      let query = ReceiverCommand.versionQuery(for: identity.family)
    {
      commands.insert(query, at: 0)
    }
    let settingUp = SettingUp(
      desiredSetUp: desired.setUp, commands: commands, digested: sent, change: change, keep: keep,
      speed: line.speed)
    proceed(settingUp, now: now, &actions)
  }

  private func speedChange(_ dialect: any Dialect) -> (speed: UInt32, command: ReceiverCommand)? {
    guard settings.speed == .automatic, line.hasSpeed, let target = settings.targetSpeed,
      target != line.speed, target != failedSpeed, let command = dialect.speed(target)
    else { return nil }
    return (target, command)
  }

  mutating func proceed(_ settingUp: SettingUp, now: Moment, _ actions: inout [DialogueAction]) {
    var settingUp = settingUp
    while let step = settingUp.nextStep() {
      switch step {
      case .commands(let commands):
        var run = CommandRun(commands, line: line)
        run.begin(now: now, &actions)
        settingUp.run = run
        guard run.isFinished else {
          phase = .settingUp(settingUp)
          return
        }
      case .speed(let speed, let command):
        let change = SpeedChange(
          to: speed, by: command, query: identity.flatMap { ReceiverCommand.versionQuery(for: $0.family) },
          interval: interval,
          line: line, now: now, &actions)
        phase = .changingSpeed(change, settingUp)
        return
      }
    }
    finish(settingUp, now: now, &actions)
  }

  private mutating func finish(_ settingUp: SettingUp, now: Moment, _ actions: inout [DialogueAction]) {
    if !isConfirmed, settingUp.isDoubtful {
      identity = nil
      return identify(now: now, &actions)
    }
    guard let identity else { return identify(now: now, &actions) }
    if settingUp.accepted > 0 { isConfirmed = true }
    applied.setUp = settingUp.desiredSetUp
    if applied.setUp != nil {
      applied.reportsSatellites = false
      applied.power = .continuous
    }
    isDesiredSetUpNew = desired.setUp != applied.setUp
    if !settingUp.isEmpty {
      actions.append(
        .report(.configured(refused: settingUp.refused, unanswered: settingUp.unanswered)))
    }
    remember(
      KnownReceiver(
        speed: line.effectiveSpeed, identity: identity,
        setUp: KnownReceiver.digest(of: settingUp.digested, speed: line.effectiveSpeed),
        interval: settingUp.desiredSetUp.map { min(max($0.interval, 1), 3_600_000) } ?? known?.interval),
      &actions)
    guard !settingUp.isInterrupted else { return configure(now: now, &actions) }
    settle(now: now, &actions)
  }

  mutating func follow(
    _ outcome: SpeedChange.Outcome, of change: SpeedChange, _ settingUp: SettingUp, now: Moment,
    _ actions: inout [DialogueAction]
  ) {
    switch outcome {
    case .working: break
    case .proven(let isAnswered):
      actions.append(.report(.speedChanged(from: change.old, to: change.new)))
      if !isAnswered, let query = change.query {
        actions.append(.report(.unanswered(command: query.name)))
      }
      if var receiver = known {
        receiver.speed = line.effectiveSpeed
        receiver.setUp = nil
        remember(receiver, &actions)
      }
      proceed(settingUp, now: now, &actions)
    case .wentBack:
      failedSpeed = change.new
      actions.append(.report(.speedChangeFailed(target: change.new, speed: change.old)))
      proceed(settingUp, now: now, &actions)
    case .stranded:
      failedSpeed = change.new
      actions.append(.report(.lostInSpeedChange(target: change.new, speed: change.old)))
      find(first: [change.new, change.old], now: now, &actions)
    }
  }
}

extension ReceiverCommand {
  var awaitsReply: Bool {
    if case .none = reply { false } else { true }
  }
}
