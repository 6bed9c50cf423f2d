/// The steps of the configuration of a receiver that was found.
struct SettingUp: Sendable {
  /// A step of the configuration.
  enum Step: Equatable, Sendable {
    case commands([ReceiverCommand])
    case speed(UInt32, ReceiverCommand)
  }

  /// True if there is nothing to send.
  let isEmpty: Bool
  /// The desired configuration when the phase began.
  let desiredSetUp: SetUp?
  /// The commands apart from the baud rate, for the digest.
  let digested: [ReceiverCommand]
  /// True if the receiver restarted meanwhile and lost the settings sent before.
  var isInterrupted = false
  private var waiting: ArraySlice<Step>
  /// The current commands; nil before the first step and during a change of baud rate.
  var run: CommandRun?
  private(set) var accepted = 0
  private(set) var refused = 0
  private(set) var unanswered = 0

  /// Creates the steps. `change` sets another baud rate: before the other commands if it is higher, after
  /// them if lower. `keep` comes last.
  init(
    desiredSetUp: SetUp?, commands: [ReceiverCommand], digested: [ReceiverCommand],
    change: (speed: UInt32, command: ReceiverCommand)?,
    keep: [ReceiverCommand], speed: UInt32
  ) {
    self.desiredSetUp = desiredSetUp
    self.digested = digested
    var steps = commands.isEmpty ? [] : [Step.commands(commands)]
    if let change {
      steps.insert(
        .speed(change.speed, change.command), at: change.speed > speed ? 0 : steps.endIndex)
    }
    if !keep.isEmpty { steps.append(.commands(keep)) }
    waiting = steps[...]
    isEmpty = steps.isEmpty
  }

  mutating func nextStep() -> Step? {
    if let run {
      accepted += run.accepted
      refused += run.refused
      unanswered += run.unanswered
    }
    run = nil
    return waiting.popFirst()
  }

  /// True if a command was rejected or none accepted: it may be another receiver than assumed.
  var isDoubtful: Bool { refused > 0 || accepted == 0 && unanswered > 0 }
}
