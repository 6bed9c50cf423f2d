import Quantities

/// Finds the speed of the line: it is right when two frames with a right checksum were heard at it.
///
/// Only listening, it leaves a speed for bytes that are no frames and never for silence. Asking, it also takes
/// silence for sleep: it sends a wake byte and the queries one by one, few bytes at each speed because a receiver
/// that is spoken to at a wrong speed closes its ear for a while. A round through all speeds without success is
/// followed by a rest in which it goes on listening.
struct Finding: Sendable {
  /// The usual speeds of tracker modules, most likely first.
  static let usualSpeeds: [UInt32] = [
    9600, 115_200, 38_400, 57_600, 4800, 230_400, 460_800, 921_600, 19_200,
  ]

  /// Longer than the output period of a receiver at 1 Hz, with the length of its burst.
  static let patience = Duration.milliseconds(2500)
  /// Added to an interval that is known.
  static let margin = Duration.milliseconds(200)
  /// Bytes without a frame that rule a speed out: more than the longest sentence.
  static let enoughBytes = 1500
  static let enoughFrames = 2
  /// A single frame is no accident: the other one is waited for, longer than the slowest usual interval.
  static let patienceAfterFrame = Duration.seconds(12)
  /// Fewer bytes than this are disturbances on a silent line.
  static let someBytes = 20
  static let wakePause = Duration.milliseconds(500)

  enum Outcome: Equatable, Sendable {
    case searching
    case found
    /// A round is over without a frame; `heardBytes` tells garbage from silence.
    case roundOver(heardBytes: Bool)
  }

  private enum Stage: Equatable {
    case listening
    /// A wake byte was sent.
    case waking
    /// Query number `index` was sent; `isRepeated` because it was answered and one frame is no proof.
    case asking(index: Int, isRepeated: Bool)
    /// All queries are asked and one frame came: it may have been woken just now and speak at long intervals.
    case awaitingFrame
  }

  private let speeds: [UInt32]
  private let queries: [ReceiverCommand]
  /// What is known of the interval at the first speed.
  private let firstPatience: Duration
  private var index = 0
  private var stage = Stage.listening
  private var bytes = 0
  private var frames = 0
  private var heardInRound = false
  private var listensUntil: Moment?
  private var restsUntil: Moment?
  private var rests = Rests.search
  /// What a query was answered with on the way.
  private(set) var identity: ReceiverIdentity?

  /// `first` are tried before the usual speeds; with `queries` empty it only listens.
  init(
    first: [UInt32], isFixed: Bool, interval: Duration?, queries: [ReceiverCommand], line: inout LineState,
    now: Moment, _ actions: inout [DialogueAction]
  ) {
    var speeds: [UInt32] = []
    for speed in first + (isFixed ? [] : Self.usualSpeeds) where !speeds.contains(speed) {
      speeds.append(speed)
    }
    self.speeds = line.hasSpeed ? speeds : [line.speed]
    self.queries = queries
    firstPatience = interval.map { max($0, .seconds(1)) + Self.margin } ?? Self.patience
    listen(&line, now: now, &actions)
  }

  var deadline: Moment? {
    guard let restsUntil else { return listensUntil }
    return listensUntil.map { min($0, restsUntil) } ?? restsUntil
  }

  /// A round was in vain: it listens on, and that is all until the next one.
  var isResting: Bool { restsUntil != nil }

  private var asks: Bool { !queries.isEmpty && restsUntil == nil }

  // MARK: What happens

  mutating func heard(
    bytes: Int, frames: Int, line: inout LineState, now: Moment, _ actions: inout [DialogueAction]
  ) -> Outcome {
    guard bytes > 0 else { return .searching }
    if self.bytes == 0, stage == .listening { listensUntil = now.after(Self.patience) }
    self.bytes = min(self.bytes + min(bytes, Self.enoughBytes), Self.enoughBytes)
    if self.bytes >= Self.someBytes { heardInRound = true }
    if self.frames == 0, frames > 0, stage == .listening {
      listensUntil = now.after(Self.patienceAfterFrame)
    }
    self.frames = Self.sum(self.frames, frames)
    if self.frames >= Self.enoughFrames { return .found }
    guard self.frames == 0, self.bytes >= Self.enoughBytes else { return .searching }
    return moveOn(&line, now: now, &actions)
  }

  /// A version tells who it is, but one frame proves no speed: the same is asked once more.
  mutating func take(
    _ answer: ReceiverAnswer, line: LineState, now: Moment, _ actions: inout [DialogueAction]
  ) {
    guard case .version(let identity) = answer else { return }
    self.identity = identity
    guard case .asking(let index, isRepeated: false) = stage, queries.indices.contains(index) else { return }
    stage = .asking(index: index, isRepeated: true)
    actions.append(.write(queries[index].bytes))
    listensUntil = now.after(Self.replyTime(line))
  }

  mutating func handleTimeout(
    line: inout LineState, now: Moment, _ actions: inout [DialogueAction]
  ) -> Outcome {
    guard let deadline, now >= deadline else { return .searching }
    if let restsUntil, now >= restsUntil {
      self.restsUntil = nil
      index = 0
      listen(&line, now: now, &actions)
      return .searching
    }
    switch stage {
    case .listening:
      let isGarbled = frames == 0 && bytes >= (asks ? Self.someBytes : 1)
      guard asks, !isGarbled else { return moveOn(&line, now: now, &actions) }
      stage = .waking
      actions.append(.write([0xFF]))
      listensUntil = now.after(Self.wakePause)
      return .searching
    case .waking: return ask(0, &line, now: now, &actions)
    case .asking(let index, _): return ask(index + 1, &line, now: now, &actions)
    case .awaitingFrame: return moveOn(&line, now: now, &actions)
    }
  }

  /// Frames heard so far and now, counted up to what is enough.
  static func sum(_ before: Int, _ now: Int) -> Int {
    min(before + min(max(now, 0), enoughFrames), enoughFrames)
  }

  // MARK: Moves

  private mutating func ask(
    _ index: Int, _ line: inout LineState, now: Moment, _ actions: inout [DialogueAction]
  ) -> Outcome {
    guard queries.indices.contains(index) else {
      guard frames > 0 else { return moveOn(&line, now: now, &actions) }
      stage = .awaitingFrame
      listensUntil = now.after(Self.patienceAfterFrame)
      return .searching
    }
    stage = .asking(index: index, isRepeated: false)
    actions.append(.write(queries[index].bytes))
    listensUntil = now.after(Self.replyTime(line))
    return .searching
  }

  private mutating func moveOn(
    _ line: inout LineState, now: Moment, _ actions: inout [DialogueAction]
  ) -> Outcome {
    index = (index + 1) % speeds.count
    let isRoundOver = index == 0
    let heardBytes = heardInRound
    if isRoundOver {
      heardInRound = false
      if asks {
        let rest = rests.next()
        restsUntil = rest > .zero ? now.after(rest) : nil
      }
    }
    listen(&line, now: now, &actions)
    return isRoundOver ? .roundOver(heardBytes: heardBytes) : .searching
  }

  private mutating func listen(_ line: inout LineState, now: Moment, _ actions: inout [DialogueAction]) {
    stage = .listening
    bytes = 0
    frames = 0
    line.change(to: speeds[index], &actions)
    listensUntil = asks ? now.after(index == 0 ? firstPatience : Self.patience) : nil
  }

  /// Nothing else is on the line when it is asked here.
  private static func replyTime(_ line: LineState) -> Duration {
    line.isSlow ? .milliseconds(1200) : .milliseconds(600)
  }
}
