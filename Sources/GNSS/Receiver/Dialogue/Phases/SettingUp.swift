/// What is to be sent to a receiver that was found, step by step.
struct SettingUp: Sendable {
  enum Step: Equatable, Sendable {
    case commands([ReceiverCommand])
    case speed(UInt32, ReceiverCommand)
  }

  /// There is nothing to say.
  let isEmpty: Bool
  /// What was wished for when it began.
  let wish: SetUp?
  /// What it is told beside its speed, for the digest.
  let digested: [ReceiverCommand]
  /// It started anew meanwhile: what it was told before is gone.
  var isInterrupted = false
  private var waiting: ArraySlice<Step>
  /// The commands at work; nil before the first step and while the speed is changed.
  var run: CommandRun?
  private(set) var accepted = 0
  private(set) var refused = 0
  private(set) var unanswered = 0

  /// `change` brings the line to another speed: before the rest when that is faster, after it when slower.
  /// `keep` ends everything.
  init(
    wish: SetUp?, commands: [ReceiverCommand], digested: [ReceiverCommand],
    change: (speed: UInt32, command: ReceiverCommand)?,
    keep: [ReceiverCommand], speed: UInt32
  ) {
    self.wish = wish
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

  /// Something was refused, or nothing taken: it may be another receiver than was thought.
  var isDoubtful: Bool { refused > 0 || accepted == 0 && unanswered > 0 }
}
