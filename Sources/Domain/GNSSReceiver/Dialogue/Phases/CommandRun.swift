import GNSSProtocol
import Quantities

/// Sends commands one after the other; each is acknowledged or repeated once. Rejected and unanswered
/// commands are reported and never delay the others.
struct CommandRun: Equatable, Sendable {
  /// Safety limit; no configuration has more commands.
  static let mostCommands = 64
  static let longestCommand = 1024
  /// Number of times that a receiver may report "in progress" or "busy" for a command.
  private static let mostExtensions = 3

  private var waiting: ArraySlice<ReceiverCommand>
  private(set) var current: ReceiverCommand?
  private(set) var deadline: Moment?
  private var isRepeated = false
  private var extensions = 0
  private let replyTime: Duration
  private let reports: Bool

  private(set) var accepted = 0
  private(set) var refused = 0
  private(set) var unanswered = 0
  /// The first command that was rejected or not answered.
  private(set) var failed: String?

  /// Creates a run. If `reports` is false, failures are not reported.
  init(_ commands: [ReceiverCommand], line: LineState, reports: Bool = true) {
    waiting = commands.filter { $0.bytes.count <= Self.longestCommand }.prefix(Self.mostCommands)
    replyTime = Self.replyTime(line)
    self.reports = reports
  }

  static func replyTime(_ line: LineState) -> Duration { line.isSlow ? .seconds(2) : .seconds(1) }

  var isFinished: Bool { current == nil && waiting.isEmpty }
  /// True if a command was rejected or not answered.
  var hasFailed: Bool { refused > 0 || unanswered > 0 }

  mutating func begin(now: Moment, _ actions: inout [DialogueAction]) {
    guard current == nil else { return }
    sendNext(now: now, &actions)
  }

  mutating func take(_ answer: ReceiverAnswer, now: Moment, _ actions: inout [DialogueAction]) {
    guard let current else { return }
    guard let isAccepted = answer.settles(current.reply) else {
      guard answer.postpones(current.reply), extensions < Self.mostExtensions else { return }
      extensions += 1
      deadline = now.after(replyTime)
      return
    }
    if isAccepted {
      accepted += 1
    } else {
      refused += 1
      failed = failed ?? current.name
      if reports { actions.append(.report(.refused(command: current.name))) }
    }
    sendNext(now: now, &actions)
  }

  mutating func handleTimeout(now: Moment, _ actions: inout [DialogueAction]) {
    guard let deadline, now >= deadline, let current else { return }
    if case .none = current.reply { return sendNext(now: now, &actions) }
    guard isRepeated else {
      isRepeated = true
      actions.append(.write(current.bytes))
      self.deadline = now.after(replyTime)
      return
    }
    unanswered += 1
    failed = failed ?? current.name
    if reports { actions.append(.report(.unanswered(command: current.name))) }
    sendNext(now: now, &actions)
  }

  private mutating func sendNext(now: Moment, _ actions: inout [DialogueAction]) {
    isRepeated = false
    extensions = 0
    current = waiting.popFirst()
    guard let current else {
      deadline = nil
      return
    }
    actions.append(.write(current.bytes))
    if case .none(let pause) = current.reply {
      deadline = now.after(min(pause, .seconds(10)))
    } else {
      deadline = now.after(replyTime)
    }
  }
}
