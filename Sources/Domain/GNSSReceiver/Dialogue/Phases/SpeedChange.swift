import GNSSProtocol
import Quantities

/// Changes the baud rate of both ends of the line and proves it, or changes it back.
///
/// The proof is two frames received at the new baud rate and an answer to a query at it. If frames arrive
/// without an answer, the receiver has changed nevertheless. If none arrive at either baud rate, the new one
/// is tried again, because some receivers change with a restart, which takes time.
struct SpeedChange: Sendable {
  static let pause = Duration.milliseconds(100)
  /// Time without frames after which the change has failed.
  static let proofTime = Duration.milliseconds(1500)
  private static let askAfter: [Duration] = [.milliseconds(200), .milliseconds(800)]

  /// The result of an event or timeout.
  enum Outcome: Equatable, Sendable {
    case working
    /// Frames arrive at the new baud rate. `isAnswered` is false if no answer arrived.
    case proven(isAnswered: Bool)
    case wentBack
    /// No frames at either baud rate.
    case stranded
  }

  /// The baud rates to listen at, in this order.
  private enum Attempt: Equatable {
    case new, old, newAgain
  }

  private enum Stage: Equatable {
    case draining
    case pausing
    case proving(Attempt, since: Moment, asked: Int)
  }

  let old: UInt32
  let new: UInt32
  let query: ReceiverCommand?
  /// The reply to the command itself, while the host is at the old baud rate.
  private let reply: ReceiverCommand.Reply
  /// Longest wait for the second of two frames.
  private let frameTime: Duration
  private var pause = Self.pause
  private var stage = Stage.draining
  private var frames = 0
  private var isAnswered = false
  private var isExtended = false
  private(set) var deadline: Moment?

  init(
    to new: UInt32, by command: ReceiverCommand, query: ReceiverCommand?, interval: Duration, line: LineState,
    now: Moment, _ actions: inout [DialogueAction]
  ) {
    old = line.speed
    self.new = new
    self.query = query
    reply = command.reply
    if case .none(let wait) = command.reply { pause = min(max(Self.pause, wait), .seconds(2)) }
    frameTime = max(Self.proofTime, interval * 2)
    actions += [.write(command.bytes), .awaitDrain]
    let length =
      Duration.seconds(min(command.bytes.count, CommandRun.longestCommand)) * 10 / Int(max(line.speed, 300))
    deadline = now.after(length + .seconds(2))
  }

  mutating func drained(now: Moment) {
    guard stage == .draining else { return }
    stage = .pausing
    deadline = now.after(pause)
  }

  mutating func received(frames count: Int) -> Outcome {
    guard case .proving = stage else { return .working }
    frames = Finding.sum(frames, count)
    return verdict()
  }

  mutating func take(_ answer: ReceiverAnswer) -> Outcome {
    switch stage {
    case .draining, .pausing: return answer.settles(reply) == false ? .wentBack : .working
    case .proving:
      guard let query, answer.settles(query.reply) != nil else { return .working }
      isAnswered = true
      return verdict()
    }
  }

  mutating func handleTimeout(
    line: inout LineState, now: Moment, _ actions: inout [DialogueAction]
  ) -> Outcome {
    guard let deadline, now >= deadline else { return .working }
    switch stage {
    case .draining: drained(now: now)
    case .pausing: prove(.new, line: &line, now: now, &actions)
    case .proving(let attempt, let since, let asked):
      if asked < Self.askAfter.count {
        if let query { actions.append(.write(query.bytes)) }
        stage = .proving(attempt, since: since, asked: asked + 1)
        schedule(now: now)
        return .working
      }
      if frames > 0 || isAnswered, !isExtended {
        isExtended = true
        if let query { actions.append(.write(query.bytes)) }
        self.deadline = now.after(frameTime)
        return .working
      }
      if frames >= Finding.enoughFrames || isAnswered { return outcome(attempt) }
      switch attempt {
      case .new: prove(.old, line: &line, now: now, &actions)
      case .old: prove(.newAgain, line: &line, now: now, &actions)
      case .newAgain: return .stranded
      }
    }
    return .working
  }

  private mutating func prove(
    _ attempt: Attempt, line: inout LineState, now: Moment, _ actions: inout [DialogueAction]
  ) {
    line.change(to: attempt == .old ? old : new, &actions)
    frames = 0
    isAnswered = false
    isExtended = false
    stage = .proving(attempt, since: now, asked: 0)
    schedule(now: now)
  }

  private mutating func schedule(now: Moment) {
    guard case .proving(_, let since, let asked) = stage else { return }
    let wait = asked < Self.askAfter.count ? Self.askAfter[asked] : Self.proofTime
    deadline = max(since + wait, now.after(.zero))
  }

  private func verdict() -> Outcome {
    guard case .proving(let attempt, _, _) = stage, frames >= Finding.enoughFrames else { return .working }
    guard isAnswered || query == nil else { return .working }
    return outcome(attempt)
  }

  private func outcome(_ attempt: Attempt) -> Outcome {
    attempt == .old ? .wentBack : .proven(isAnswered: isAnswered)
  }
}
