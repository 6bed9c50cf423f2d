import GNSSProtocol
import Quantities

/// Sends time and position to a receiver during acquisition. Nothing is sent twice, because a repeated time
/// would be out of date. Replies are collected as they arrive; no phase has to wait for them.
struct Aiding: Equatable, Sendable {
  /// Error that the path to the receiver's UART adds to the time, besides the line itself.
  static let slack = Duration.milliseconds(20)
  private static let pause = Duration.milliseconds(100)

  /// A step of the aiding.
  enum Step: Equatable, Sendable {
    /// A command that must be accepted, otherwise the others are not answered.
    case preparation(ReceiverCommand)
    case time(StartAid.Time)
    case knownPosition(StartAid.KnownPosition)
    case both(StartAid.Time, StartAid.KnownPosition)
  }

  private struct Open: Equatable, Sendable {
    var command: ReceiverCommand
    var isPreparation: Bool
  }

  private var steps: ArraySlice<Step>
  private var open: [Open] = []
  private let replyTime: Duration
  private var isUnanswerable = false
  private(set) var deadline: Moment?

  /// Creates the phase; nil if the family has no aiding command.
  init?(_ aid: StartAid, dialect: any Dialect, line: LineState, interval: Duration) {
    var steps: [Step] = []
    if let time = aid.time, let knownPosition = aid.knownPosition,
      Self.command(time, knownPosition, dialect) != nil
    {
      steps = [.both(time, knownPosition)]
    } else {
      if let time = aid.time, dialect.aid(time: time.utc, accuracy: time.error) != nil {
        steps.append(.time(time))
      }
      if let knownPosition = aid.knownPosition, Self.command(knownPosition, dialect) != nil {
        steps.append(.knownPosition(knownPosition))
      }
    }
    guard !steps.isEmpty else { return nil }
    self.steps = (dialect.prepareAid().map { .preparation($0) } + steps)[...]
    // The line may be left unread until the next epoch.
    replyTime = CommandRun.replyTime(line) + interval
  }

  /// Sends the next command and returns the part of the aiding that it carried.
  mutating func proceed(
    dialect: any Dialect, line: LineState, now: Moment, _ actions: inout [DialogueAction]
  ) -> Step? {
    guard let step = steps.popFirst() else { return nil }
    let command: ReceiverCommand?
    var isPreparation = false
    switch step {
    case .preparation(let preparation):
      command = preparation
      isPreparation = true
    case .time(let time):
      command = Self.timed(time, line: line, now: now) { dialect.aid(time: $0.utc, accuracy: $0.error) }
    case .knownPosition(let knownPosition): command = Self.command(knownPosition, dialect)
    case .both(let time, let knownPosition):
      command = Self.timed(time, line: line, now: now) { Self.command($0, knownPosition, dialect) }
    }
    deadline = now.after(steps.isEmpty ? replyTime : Self.pause)
    guard let command, command.bytes.count <= CommandRun.longestCommand else { return step }
    actions.append(.write(command.bytes))
    if command.awaitsReply { open.append(Open(command: command, isPreparation: isPreparation)) }
    let carrying = line.carrying(command.bytes.count)
    deadline = now.after(carrying + (steps.isEmpty ? replyTime : Self.pause))
    if isFinished { deadline = nil }
    return step
  }

  /// True if nothing is left to send and no reply is expected.
  var isFinished: Bool { steps.isEmpty && open.isEmpty }
  var isSent: Bool { steps.isEmpty }

  /// Handles a reply; returns a notice to report.
  mutating func take(_ answer: ReceiverAnswer) -> DialogueNotice? {
    guard let index = open.firstIndex(where: { answer.settles($0.command.reply) != nil }) else { return nil }
    let settled = open.remove(at: index)
    if isFinished { deadline = nil }
    guard answer.settles(settled.command.reply) == false else { return nil }
    if settled.isPreparation { isUnanswerable = true }
    return .refused(command: settled.command.name)
  }

  /// Ends the wait for replies; returns the notices to report.
  mutating func giveUp() -> [DialogueNotice] {
    defer {
      open = []
      deadline = nil
    }
    guard !isUnanswerable else { return [] }
    // Without the preparation the others are not answered anyway.
    let silent = open.filter(\.isPreparation)
    return (silent.isEmpty ? open : silent).map { .unanswered(command: $0.command.name) }
  }

  /// The time at which the last byte arrives, with the error that the transmission adds.
  private static func timed(
    _ time: StartAid.Time, line: LineState, now: Moment, _ command: (StartAid.Time) -> ReceiverCommand?
  ) -> ReceiverCommand? {
    guard let draft = command(time) else { return nil }
    let carrying = line.carrying(draft.bytes.count)
    guard var arriving = time.forwarded(to: now + carrying) else { return nil }
    arriving.error += carrying + slack
    return command(arriving)
  }

  private static func command(_ knownPosition: StartAid.KnownPosition, _ dialect: any Dialect)
    -> ReceiverCommand?
  {
    dialect.aid(
      position: knownPosition.position, altitude: knownPosition.altitude, accuracy: knownPosition.error)
  }

  private static func command(
    _ time: StartAid.Time, _ knownPosition: StartAid.KnownPosition, _ dialect: any Dialect
  ) -> ReceiverCommand? {
    dialect.aid(
      time: time.utc, accuracy: time.error, position: knownPosition.position, altitude: knownPosition.altitude
    )
  }
}

extension LineState {
  /// Transmission time of this many bytes; zero on a port without a baud rate.
  func carrying(_ count: Int) -> Duration {
    guard hasSpeed else { return .zero }
    return .seconds(min(count, CommandRun.longestCommand)) * 10 / Int(max(speed, 300))
  }
}
