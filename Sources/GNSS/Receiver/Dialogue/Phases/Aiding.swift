import Quantities

/// Tells a receiver time and place while it already searches. Nothing is sent twice: a time that is repeated would
/// be an old one. Replies are collected as they come in, so that nobody has to listen for them.
struct Aiding: Equatable, Sendable {
  /// What the way from here to the receiver's UART adds to the error of the time, beside the line itself.
  static let slack = Duration.milliseconds(20)
  private static let pause = Duration.milliseconds(100)

  enum Step: Equatable, Sendable {
    /// Must be accepted for the rest to be answered.
    case preparation(ReceiverCommand)
    case time(StartAid.Time)
    case place(StartAid.Place)
    case both(StartAid.Time, StartAid.Place)
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

  /// Nil when the family has no word for it.
  init?(_ aid: StartAid, dialect: any Dialect, line: LineState, interval: Duration) {
    var steps: [Step] = []
    if let time = aid.time, let place = aid.place, Self.command(time, place, dialect) != nil {
      steps = [.both(time, place)]
    } else {
      if let time = aid.time, dialect.aid(time: time.utc, accuracy: time.error) != nil {
        steps.append(.time(time))
      }
      if let place = aid.place, Self.command(place, dialect) != nil { steps.append(.place(place)) }
    }
    guard !steps.isEmpty else { return nil }
    self.steps = (dialect.prepareAid().map { .preparation($0) } + steps)[...]
    // The line may be left alone until the next epoch.
    replyTime = CommandRun.replyTime(line) + interval
  }

  /// Sends what is next, and says which part of the aid that was.
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
    case .place(let place): command = Self.command(place, dialect)
    case .both(let time, let place):
      command = Self.timed(time, line: line, now: now) { Self.command($0, place, dialect) }
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

  /// Nothing is left to send and no reply is waited for.
  var isFinished: Bool { steps.isEmpty && open.isEmpty }
  var isSent: Bool { steps.isEmpty }

  /// What is to be said about a reply.
  mutating func take(_ answer: ReceiverAnswer) -> DialogueNotice? {
    guard let index = open.firstIndex(where: { answer.settles($0.command.reply) != nil }) else { return nil }
    let settled = open.remove(at: index)
    if isFinished { deadline = nil }
    guard answer.settles(settled.command.reply) == false else { return nil }
    if settled.isPreparation { isUnanswerable = true }
    return .refused(command: settled.command.name)
  }

  /// What is to be said when the time for replies is over.
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

  /// The time at which the last byte arrives, with the error that its way adds.
  private static func timed(
    _ time: StartAid.Time, line: LineState, now: Moment, _ command: (StartAid.Time) -> ReceiverCommand?
  ) -> ReceiverCommand? {
    guard let draft = command(time) else { return nil }
    let carrying = line.carrying(draft.bytes.count)
    guard var arriving = time.forwarded(to: now + carrying) else { return nil }
    arriving.error += carrying + slack
    return command(arriving)
  }

  private static func command(_ place: StartAid.Place, _ dialect: any Dialect) -> ReceiverCommand? {
    dialect.aid(position: place.position, altitude: place.altitude, accuracy: place.error)
  }

  private static func command(
    _ time: StartAid.Time, _ place: StartAid.Place, _ dialect: any Dialect
  ) -> ReceiverCommand? {
    dialect.aid(
      time: time.utc, accuracy: time.error, position: place.position, altitude: place.altitude)
  }
}

extension LineState {
  /// How long so many bytes are on the line; nothing where it has no speed.
  func carrying(_ count: Int) -> Duration {
    guard hasSpeed else { return .zero }
    return .seconds(min(count, CommandRun.longestCommand)) * 10 / Int(max(speed, 300))
  }
}
