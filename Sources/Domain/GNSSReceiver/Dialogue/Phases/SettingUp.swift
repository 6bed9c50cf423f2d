import GNSSProtocol
import Quantities

/// The steps of the configuration of a receiver that was found.
struct SettingUp: Sendable {
  /// What comes next.
  enum Progress: Equatable, Sendable {
    /// Replies are expected.
    case working
    /// The baud rate is to be changed by this command.
    case speed(UInt32, ReceiverCommand)
    case finished
  }

  private enum Step: Equatable {
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
  private(set) var isInterrupted = false
  private var waiting: ArraySlice<Step>
  /// The current commands; nil before the first step and during a change of baud rate.
  private var run: CommandRun?
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

  /// Begins the next step, and those after it as far as they need no reply.
  mutating func proceed(line: LineState, now: Moment, _ actions: inout [DialogueAction]) -> Progress {
    count()
    while let step = waiting.popFirst() {
      switch step {
      case .speed(let speed, let command): return .speed(speed, command)
      case .commands(let commands):
        var run = CommandRun(commands, line: line)
        run.begin(now: now, &actions)
        self.run = run
        guard run.isFinished else { return .working }
        count()
      }
    }
    return .finished
  }

  mutating func take(
    _ answer: ReceiverAnswer, line: LineState, now: Moment, _ actions: inout [DialogueAction]
  ) -> Progress {
    run?.take(answer, now: now, &actions)
    return run?.isFinished == true ? proceed(line: line, now: now, &actions) : .working
  }

  mutating func handleTimeout(
    line: LineState, now: Moment, _ actions: inout [DialogueAction]
  ) -> Progress {
    run?.handleTimeout(now: now, &actions)
    return run?.isFinished == false ? .working : proceed(line: line, now: now, &actions)
  }

  /// The receiver restarted; the configuration is sent again when this one has ended.
  mutating func interrupted() { isInterrupted = true }

  var deadline: Moment? { run?.deadline }

  /// Adds the results of the commands that were sent.
  private mutating func count() {
    guard let run else { return }
    accepted += run.accepted
    refused += run.refused
    unanswered += run.unanswered
    self.run = nil
  }

  /// True if a command was rejected or none accepted: it may be another receiver than assumed.
  var isDoubtful: Bool { refused > 0 || accepted == 0 && unanswered > 0 }
}
