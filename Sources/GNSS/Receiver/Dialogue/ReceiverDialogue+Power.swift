import Quantities

// A receiver that has a fix may track in short pieces; whatever needs its full strength ends that first.
extension ReceiverDialogue {
  /// Cyclic mode gives a fix a second and no more.
  private static let leastInterval = 1000

  /// It can be told to track in cyclic mode, with a fix a second, and has not refused that. Not on USB, whose power keeps
  /// u-blox awake.
  public var offersCyclicMode: Bool {
    guard settings.control == .full, isConfirmed, line.hasSpeed, !isCyclicModeRefused, let dialect else {
      return false
    }
    guard (given ?? wish)?.interval ?? Self.leastInterval >= Self.leastInterval else { return false }
    return !dialect.power(.cyclic(seconds: 1)).isEmpty
  }

  /// It has acknowledged cyclic mode, and was not told otherwise since.
  public var isInCyclicMode: Bool { isAwake && toldPower != .continuous }

  private var isAwake: Bool {
    switch phase {
    case .running, .fallingAsleep: true
    case .closed, .finding, .identifying, .settingUp, .changingSpeed, .asleep, .waking: false
    }
  }

  /// What is wanted, where it is offered.
  var affordablePower: SetUp.Power { offersCyclicMode ? wantedPower : .continuous }

  mutating func want(power: SetUp.Power, now: Moment) {
    guard settings.control == .full, power != wantedPower else { return }
    wantedPower = power
    powerRests.reset()
    adjustIfDue(now: now)
  }

  /// The commands for it are through; answers how long to wait before it is told again, nil where all is well.
  mutating func told(
    _ power: SetUp.Power, with run: CommandRun, _ actions: inout [DialogueAction]
  ) -> Duration? {
    let hasFailed = run.refused > 0 || run.unanswered > 0
    guard power == .continuous else {
      // Some of it may have been taken.
      toldPower = power
      if hasFailed { giveUpCyclicMode(command: run.failed, &actions) }
      return nil
    }
    guard hasFailed else {
      toldPower = power
      powerRests.reset()
      return nil
    }
    return powerRests.next()
  }

  mutating func giveUpCyclicMode(command: String?, _ actions: inout [DialogueAction]) {
    isCyclicModeRefused = true
    actions.append(.report(.cyclicModeFailed(command: command)))
  }

  /// Between two pieces it sleeps: the first byte may only wake it.
  func wakingCommands(_ commands: [ReceiverCommand], _ dialect: any Dialect) -> [ReceiverCommand] {
    guard let first = commands.first else { return [] }
    let woken = ReceiverCommand(
      name: first.name, bytes: dialect.wake().bytes + first.bytes, reply: first.reply)
    return [woken] + commands.dropFirst()
  }

  /// A receiver that is put to sleep by command comes back to search, with full power.
  mutating func endingCyclicMode(_ means: FallingAsleep.Means) -> FallingAsleep.Means {
    guard toldPower != .continuous, let dialect else { return means }
    toldPower = .continuous
    switch means {
    case .enableLine: return means
    case .recipe(var recipe):
      recipe.commands = wakingCommands(dialect.power(.continuous), dialect) + recipe.commands
      return .recipe(recipe)
    }
  }
}
