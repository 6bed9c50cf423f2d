import GNSSProtocol
import Quantities

/// Changes one setting of a running receiver, acknowledged and repeated like all settings.
struct Adjusting: Equatable, Sendable {
  /// The setting that is changed.
  enum Subject: Equatable, Sendable {
    /// Satellites in view are reported, or not.
    case satellites(Bool)
    /// The power mode.
    case power(SetUp.Power)
  }

  let subject: Subject
  private(set) var run: CommandRun

  init(_ subject: Subject, by commands: [ReceiverCommand], line: LineState) {
    self.subject = subject
    run = CommandRun(commands, line: line, reports: false)
  }

  mutating func begin(now: Moment, _ actions: inout [DialogueAction]) { run.begin(now: now, &actions) }

  mutating func take(_ answer: ReceiverAnswer, now: Moment, _ actions: inout [DialogueAction]) {
    run.take(answer, now: now, &actions)
  }

  mutating func handleTimeout(now: Moment, _ actions: inout [DialogueAction]) {
    run.handleTimeout(now: now, &actions)
  }
}
