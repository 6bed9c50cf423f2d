import Quantities

// Cyclic tracking: a receiver with a fix may track with a duty cycle. Any operation that requires continuous
// mode ends cyclic tracking first.
extension ReceiverDialogue {
  /// Shortest interval of cyclic tracking in milliseconds.
  private static let leastInterval = 1000

  /// True if the receiver supports cyclic tracking with one fix per second and has not rejected it. False on
  /// USB, whose supply keeps u-blox receivers awake.
  public var offersCyclicMode: Bool {
    guard settings.control == .full, isConfirmed, line.hasSpeed, !isCyclicModeRefused, let dialect else {
      return false
    }
    guard (applied.setUp ?? desired.setUp)?.interval ?? Self.leastInterval >= Self.leastInterval else {
      return false
    }
    return !dialect.power(.cyclic(seconds: 1)).isEmpty
  }

  /// True if the receiver acknowledged cyclic tracking and got no other power command since.
  public var isInCyclicMode: Bool { isAwake && applied.power != .continuous }

  private var isAwake: Bool {
    switch phase {
    case .running, .fallingAsleep: true
    case .closed, .finding, .identifying, .settingUp, .changingSpeed, .asleep, .waking: false
    }
  }

  /// The desired power mode if it is available, else continuous mode.
  var effectivePower: SetUp.Power { offersCyclicMode ? desired.power : .continuous }

  mutating func request(power: SetUp.Power, now: Moment) {
    guard settings.control == .full, power != desired.power else { return }
    desired.power = power
    powerBackOff.reset()
    adjustIfDue(now: now)
  }

  /// Handles the result of the power commands. Returns the delay before the next attempt; nil on success.
  mutating func recordSentPower(
    _ power: SetUp.Power, with run: CommandRun, _ actions: inout [DialogueAction]
  ) -> Duration? {
    let hasFailed = run.refused > 0 || run.unanswered > 0
    guard power == .continuous else {
      // The receiver may have accepted some of the commands.
      applied.power = power
      if hasFailed { giveUpCyclicMode(command: run.failed, &actions) }
      return nil
    }
    guard hasFailed else {
      applied.power = power
      powerBackOff.reset()
      return nil
    }
    return powerBackOff.next()
  }

  mutating func giveUpCyclicMode(command: String?, _ actions: inout [DialogueAction]) {
    isCyclicModeRefused = true
    actions.append(.report(.cyclicModeFailed(command: command)))
  }

  /// Adds wake bytes to the first command: between two active periods the receiver sleeps, and the first byte
  /// may only wake it.
  func wakingCommands(_ commands: [ReceiverCommand], _ dialect: any Dialect) -> [ReceiverCommand] {
    guard let first = commands.first else { return [] }
    let woken = ReceiverCommand(
      name: first.name, bytes: dialect.wake().bytes + first.bytes, reply: first.reply)
    return [woken] + commands.dropFirst()
  }

  /// Prepends the return to continuous mode, so that a receiver put to sleep by command starts acquisition at
  /// full power.
  mutating func endingCyclicMode(_ means: FallingAsleep.Means) -> FallingAsleep.Means {
    guard applied.power != .continuous, let dialect else { return means }
    applied.power = .continuous
    switch means {
    case .enableLine: return means
    case .sequence(var sequence):
      sequence.commands = wakingCommands(dialect.power(.continuous), dialect) + sequence.commands
      return .sequence(sequence)
    }
  }
}
