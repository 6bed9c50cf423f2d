import GNSSProtocol
import Quantities

/// Batching: the receiver stores its epochs and sends them on request.
///
/// At the end, the receiver first resumes reporting and is then polled again, because stored epochs are
/// lost when batching is switched off.
struct Batching: Equatable, Sendable {
  /// The stage of batching.
  enum Stage: Equatable, Sendable {
    case beginning(CommandRun)
    case keeping
    /// The stored epochs were requested.
    case asked(isRepeated: Bool)
    /// Receives epochs; this many are still missing.
    case receiving(left: Int)
    case resuming(CommandRun)
    case ending(CommandRun)
  }

  /// The result of an event.
  enum Outcome: Equatable, Sendable {
    case working
    /// The receiver has begun to store epochs.
    case begun
    /// The stored epochs have arrived; their number.
    case taken(Int)
    /// The receiver reports every epoch again, and all stored epochs have arrived.
    case ended
    /// The receiver no longer answers.
    case silent
  }

  private let sequence: BatchSequence
  private let line: LineState
  /// Bytes before a command that wake a receiver between two active periods of cyclic tracking.
  private let waking: [UInt8]
  private(set) var stage: Stage
  private(set) var deadline: Moment?
  /// True if batching is to end.
  private(set) var isEnding = false
  /// True if an earlier run of the program began it: the receiver may be another one, or have restarted.
  private(set) var isContinued = false
  /// True if the receiver reports again; the epochs it still stores are the last.
  private var hasResumed = false
  /// Number of epochs of this retrieval.
  private var taken = 0
  /// Number of epochs lost since the last call of ``takeLost()``.
  private var lost = 0
  /// Number of epochs of an earlier run for which the receiver had no room, since the last call of ``takeDropped()``.
  private var dropped = 0
  /// The command that failed.
  private(set) var failed: String?

  /// Bytes of a LOG-BATCH frame.
  static let entryBytes = 108

  init(
    _ sequence: BatchSequence, line: LineState, waking: [UInt8], now: Moment,
    _ actions: inout [DialogueAction]
  ) {
    self.sequence = sequence
    self.line = line
    self.waking = waking
    var run = CommandRun(Self.woken(sequence.begin, by: waking), line: line, reports: false)
    run.begin(now: now, &actions)
    stage = .beginning(run)
    deadline = run.deadline
  }

  /// Retrieves the epochs that the receiver has stored since an earlier run of the program, and ends batching.
  init(
    continuing sequence: BatchSequence, line: LineState, waking: [UInt8], now: Moment,
    _ actions: inout [DialogueAction]
  ) {
    (self.sequence, self.line, self.waking) = (sequence, line, waking)
    (stage, isEnding, isContinued) = (.keeping, true, true)
    retrieve(now: now, &actions)
  }

  /// True if replies are expected; the number of epochs and their time of arrival are known.
  var listensClosely: Bool { stage != .keeping }

  /// Number of epochs that the receiver can store.
  var entries: Int { sequence.entries }

  /// True if the receiver may store epochs that were not sent yet.
  var keeps: Bool {
    switch stage {
    case .beginning: false
    case .keeping, .asked, .receiving, .resuming, .ending: true
    }
  }

  /// Number of bytes of epochs still to come.
  var bytesToCome: Int? {
    if case .receiving(let left) = stage { left * Self.entryBytes } else { nil }
  }

  mutating func takeLost() -> Int {
    defer { lost = 0 }
    return lost
  }

  mutating func takeDropped() -> Int {
    defer { dropped = 0 }
    return dropped
  }

  /// Sets the end of the current batch while the receiver stores epochs.
  mutating func keep(until moment: Moment, now: Moment) {
    if stage == .keeping { deadline = max(moment, now.after(.zero)) }
  }

  /// Requests the stored epochs unless a request is in progress.
  mutating func retrieve(now: Moment, _ actions: inout [DialogueAction]) {
    guard stage == .keeping else { return }
    ask(isRepeated: false, now: now, &actions)
  }

  /// Starts to end batching.
  mutating func end(now: Moment, _ actions: inout [DialogueAction]) {
    guard !isEnding else { return }
    isEnding = true
    retrieve(now: now, &actions)
  }

  mutating func take(_ answer: ReceiverAnswer, now: Moment, _ actions: inout [DialogueAction]) -> Outcome {
    switch stage {
    case .beginning(var run):
      run.take(answer, now: now, &actions)
      return follow(run, Stage.beginning, now: now, &actions)
    case .resuming(var run):
      run.take(answer, now: now, &actions)
      return follow(run, Stage.resuming, now: now, &actions)
    case .ending(var run):
      run.take(answer, now: now, &actions)
      return follow(run, Stage.ending, now: now, &actions)
    case .asked:
      if case .batch(let stored, let dropped) = answer {
        if isContinued { self.dropped += dropped } else { lost += dropped }
        return receive(min(stored, sequence.entries), now: now, &actions)
      }
      if case .storedEpoch = answer {
        // The number of epochs was damaged in transit; it is requested again when they have arrived.
        taken += 1
        stage = .asked(isRepeated: false)
        deadline = now.after(CommandRun.replyTime(line))
      }
      guard answer.settles(sequence.retrieve.reply) == false else { return .working }
      failed = failed ?? sequence.retrieve.name
      isEnding = true
      return passedOn(now: now, &actions)
    case .receiving(let left):
      guard case .storedEpoch = answer else { return .working }
      taken += 1
      return receive(left - 1, now: now, &actions)
    case .keeping: return .working
    }
  }

  mutating func handleTimeout(now: Moment, _ actions: inout [DialogueAction]) -> Outcome {
    guard let deadline, now >= deadline else { return .working }
    switch stage {
    case .beginning(var run):
      run.handleTimeout(now: now, &actions)
      return follow(run, Stage.beginning, now: now, &actions)
    case .resuming(var run):
      run.handleTimeout(now: now, &actions)
      return follow(run, Stage.resuming, now: now, &actions)
    case .ending(var run):
      run.handleTimeout(now: now, &actions)
      return follow(run, Stage.ending, now: now, &actions)
    case .keeping:
      ask(isRepeated: false, now: now, &actions)
      return .working
    case .asked(isRepeated: false):
      ask(isRepeated: true, now: now, &actions)
      return .working
    case .asked(isRepeated: true):
      failed = failed ?? sequence.retrieve.name
      return hasResumed ? begin(sequence.end, now: now, &actions) : .silent
    case .receiving(let left):
      // The missing epochs were damaged in transit.
      lost += left
      return passedOn(now: now, &actions)
    }
  }

  // MARK: Steps

  private static func woken(_ commands: [ReceiverCommand], by waking: [UInt8]) -> [ReceiverCommand] {
    guard let first = commands.first, !waking.isEmpty else { return commands }
    return [ReceiverCommand(name: first.name, bytes: waking + first.bytes, reply: first.reply)]
      + commands.dropFirst()
  }

  private mutating func ask(isRepeated: Bool, now: Moment, _ actions: inout [DialogueAction]) {
    stage = .asked(isRepeated: isRepeated)
    if !isRepeated { taken = 0 }
    actions.append(.write(waking + sequence.retrieve.bytes))
    deadline = now.after(CommandRun.replyTime(line))
  }

  private mutating func receive(
    _ left: Int, now: Moment, _ actions: inout [DialogueAction]
  ) -> Outcome {
    guard left > 0 else { return passedOn(now: now, &actions) }
    stage = .receiving(left: left)
    // Reads come in groups; only the last one reports all epochs before it.
    deadline = now.after(
      CommandRun.replyTime(line) + (line.effectiveSpeed.map { Self.time(left, speed: $0) } ?? .zero))
    return .working
  }

  /// The transmission time of `entries` at `speed` bit/s.
  static func time(_ entries: Int, speed: UInt32) -> Duration {
    let bits = Int64(min(max(entries, 0), 65_535)) * Int64(entryBytes) * 10
    return .milliseconds(bits * 1000 / Int64(max(speed, 1)))
  }

  /// Continues after a retrieval.
  private mutating func passedOn(now: Moment, _ actions: inout [DialogueAction]) -> Outcome {
    guard isEnding else {
      stage = .keeping
      deadline = nil
      return .taken(taken)
    }
    return begin(hasResumed ? sequence.end : sequence.resume, now: now, &actions)
  }

  private mutating func begin(
    _ commands: [ReceiverCommand], now: Moment, _ actions: inout [DialogueAction]
  ) -> Outcome {
    var run = CommandRun(Self.woken(commands, by: waking), line: line, reports: false)
    run.begin(now: now, &actions)
    return follow(run, hasResumed ? Stage.ending : Stage.resuming, now: now, &actions)
  }

  private mutating func follow(
    _ run: CommandRun, _ next: (CommandRun) -> Stage, now: Moment, _ actions: inout [DialogueAction]
  ) -> Outcome {
    let isBeginning = if case .beginning = stage { true } else { false }
    stage = next(run)
    deadline = run.deadline
    guard run.isFinished else { return .working }
    if isBeginning {
      // The receiver may have accepted some of the commands.
      failed = run.failed
      isEnding = isEnding || failed != nil
      stage = .keeping
      deadline = nil
      guard isEnding else { return .begun }
      return begin(sequence.resume, now: now, &actions)
    }
    guard !hasResumed else { return .ended }
    hasResumed = true
    guard failed != sequence.retrieve.name else { return begin(sequence.end, now: now, &actions) }
    ask(isRepeated: false, now: now, &actions)
    return .working
  }
}
