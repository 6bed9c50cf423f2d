import GNSSProtocol
import Quantities

/// Finds the baud rate: it is correct if two frames with a valid checksum arrive.
///
/// Without queries, a baud rate is abandoned if bytes without frames arrive, and never for silence. With
/// queries, silence may also mean that the receiver is asleep. The phase then sends a wake byte and the
/// queries one by one. It sends few bytes at each baud rate, because a receiver that gets data at a wrong
/// baud rate may disable its input for a while. After an unsuccessful round through all baud rates comes a
/// back-off, during which it continues to listen.
struct Finding: Sendable {
  /// The usual baud rates of tracker modules, most likely first.
  static let usualSpeeds: [UInt32] = [
    9600, 115_200, 38_400, 57_600, 4800, 230_400, 460_800, 921_600, 19_200,
  ]

  /// Time at one baud rate: longer than the output interval of a receiver at 1 Hz, with the length of its
  /// burst.
  static let listeningTime = Duration.milliseconds(2500)
  /// Margin that is added to a known interval.
  static let margin = Duration.milliseconds(200)
  /// Number of bytes without a frame that rules a baud rate out: more than the longest sentence.
  static let enoughBytes = 1500
  static let enoughFrames = 2
  /// Time to wait for the second frame, because a single one proves little; longer than the slowest usual interval.
  static let listeningTimeAfterFrame = Duration.seconds(12)
  /// Number of bytes below which data is noise on a silent line.
  static let someBytes = 20
  static let wakePause = Duration.milliseconds(500)

  /// The result of an event or timeout.
  enum Outcome: Equatable, Sendable {
    case searching
    case found
    /// A round ended without a frame; `hasReceivedBytes` distinguishes noise from silence.
    case roundOver(hasReceivedBytes: Bool)
  }

  private enum Stage: Equatable {
    case listening
    /// A wake byte was sent.
    case waking
    /// Query number `index` was sent. `isRepeated` is true if it was answered and sent again, because one
    /// frame is no proof.
    case asking(index: Int, isRepeated: Bool)
    /// All queries were sent and one frame arrived: the receiver may have just woken and may report at long
    /// intervals.
    case awaitingFrame
  }

  private let speeds: [UInt32]
  private let queries: [ReceiverCommand]
  /// Time at the first baud rate, from the known interval.
  private let firstListeningTime: Duration
  private var index = 0
  private var stage = Stage.listening
  private var bytes = 0
  private var frames = 0
  private var receivedInRound = false
  private var listensUntil: Moment?
  private var backOffUntil: Moment?
  private var backOff = Backoff.search
  /// The identity from an answer to a query.
  private(set) var identity: ReceiverIdentity?

  /// Starts the search. `first` are tried before the usual baud rates; if `queries` is empty it only listens.
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
    firstListeningTime = interval.map { max($0, .seconds(1)) + Self.margin } ?? Self.listeningTime
    listen(&line, now: now, &actions)
  }

  var deadline: Moment? {
    guard let backOffUntil else { return listensUntil }
    return listensUntil.map { min($0, backOffUntil) } ?? backOffUntil
  }

  /// True during the back-off after an unsuccessful round, in which it only listens.
  var isBackingOff: Bool { backOffUntil != nil }

  private var asks: Bool { !queries.isEmpty && backOffUntil == nil }

  // MARK: Events

  mutating func received(
    bytes: Int, frames: Int, line: inout LineState, now: Moment, _ actions: inout [DialogueAction]
  ) -> Outcome {
    guard bytes > 0 else { return .searching }
    if self.bytes == 0, stage == .listening { listensUntil = now.after(Self.listeningTime) }
    self.bytes = min(self.bytes + min(bytes, Self.enoughBytes), Self.enoughBytes)
    if self.bytes >= Self.someBytes { receivedInRound = true }
    if self.frames == 0, frames > 0, stage == .listening {
      listensUntil = now.after(Self.listeningTimeAfterFrame)
    }
    self.frames = Self.sum(self.frames, frames)
    if self.frames >= Self.enoughFrames { return .found }
    guard self.frames == 0, self.bytes >= Self.enoughBytes else { return .searching }
    return moveOn(&line, now: now, &actions)
  }

  /// Handles an answer. A version identifies the receiver, but one frame does not prove the baud rate: the
  /// query is sent again.
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
    if let backOffUntil, now >= backOffUntil {
      self.backOffUntil = nil
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

  /// The number of frames so far and now, up to the number that is enough.
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
      listensUntil = now.after(Self.listeningTimeAfterFrame)
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
    let hasReceivedBytes = receivedInRound
    if isRoundOver {
      receivedInRound = false
      if asks {
        let delay = backOff.next()
        backOffUntil = delay > .zero ? now.after(delay) : nil
      }
    }
    listen(&line, now: now, &actions)
    return isRoundOver ? .roundOver(hasReceivedBytes: hasReceivedBytes) : .searching
  }

  private mutating func listen(_ line: inout LineState, now: Moment, _ actions: inout [DialogueAction]) {
    stage = .listening
    bytes = 0
    frames = 0
    line.change(to: speeds[index], &actions)
    listensUntil = asks ? now.after(index == 0 ? firstListeningTime : Self.listeningTime) : nil
  }

  /// Time to wait for a reply; during the search there is no other traffic on the line.
  private static func replyTime(_ line: LineState) -> Duration {
    line.isSlow ? .milliseconds(1200) : .milliseconds(600)
  }
}
