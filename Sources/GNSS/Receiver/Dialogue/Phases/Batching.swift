import Quantities

/// The receiver keeps its epochs and tells them when asked: told so, left alone, asked again and again, and brought
/// back.
///
/// At the end it first speaks by itself again and is then asked once more, because what it keeps is gone as soon as it
/// keeps no more.
struct Batching: Equatable, Sendable {
  enum Stage: Equatable, Sendable {
    case beginning(CommandRun)
    case keeping
    /// Asked for what it keeps.
    case asked(isRepeated: Bool)
    /// So many epochs are on their way.
    case receiving(left: Int)
    case resuming(CommandRun)
    case ending(CommandRun)
  }

  enum Outcome: Equatable, Sendable {
    case working
    /// It has begun to keep them.
    case begun
    /// What it kept has come, so many epochs.
    case taken(Int)
    /// It says each epoch by itself, and all that it kept has come.
    case ended
    /// It does not answer any more.
    case silent
  }

  private let recipe: BatchRecipe
  private let line: LineState
  /// Bytes that go before a command, so that a receiver between two pieces of cyclic tracking hears it.
  private let waking: [UInt8]
  private(set) var stage: Stage
  private(set) var deadline: Moment?
  /// It is to be brought back.
  private(set) var isEnding = false
  /// It speaks by itself again; what it still keeps is the last.
  private var hasResumed = false
  /// Epochs of this retrieval.
  private var taken = 0
  /// Epochs lost since this was last asked.
  private var lost = 0
  /// The command that it does not take.
  private(set) var failed: String?

  /// Bytes of a LOG-BATCH with its frame.
  static let entryBytes = 108

  init(
    _ recipe: BatchRecipe, line: LineState, waking: [UInt8], now: Moment, _ actions: inout [DialogueAction]
  ) {
    self.recipe = recipe
    self.line = line
    self.waking = waking
    var run = CommandRun(Self.woken(recipe.begin, by: waking), line: line, reports: false)
    run.begin(now: now, &actions)
    stage = .beginning(run)
    deadline = run.deadline
  }

  /// Replies are waited for; of the epochs it is known how many come and when.
  var listensClosely: Bool { stage != .keeping }

  /// So many it keeps.
  var entries: Int { recipe.entries }

  /// It may keep epochs that were not told.
  var keeps: Bool {
    switch stage {
    case .beginning: false
    case .keeping, .asked, .receiving, .resuming, .ending: true
    }
  }

  /// Bytes of epochs that are on their way.
  var bytesToCome: Int? {
    if case .receiving(let left) = stage { left * Self.entryBytes } else { nil }
  }

  mutating func takeLost() -> Int {
    defer { lost = 0 }
    return lost
  }

  /// While it keeps: until when it may.
  mutating func keep(until moment: Moment, now: Moment) {
    if stage == .keeping { deadline = max(moment, now.after(.zero)) }
  }

  /// Asks for what it keeps, unless that is under way.
  mutating func retrieve(now: Moment, _ actions: inout [DialogueAction]) {
    guard stage == .keeping else { return }
    ask(isRepeated: false, now: now, &actions)
  }

  /// It is to speak by itself again.
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
        lost += dropped
        return receive(min(stored, recipe.entries), now: now, &actions)
      }
      if case .storedEpoch = answer {
        // How many there are was damaged on the way; once they have come it is asked again.
        taken += 1
        stage = .asked(isRepeated: false)
        deadline = now.after(CommandRun.replyTime(line))
      }
      guard answer.settles(recipe.retrieve.reply) == false else { return .working }
      failed = failed ?? recipe.retrieve.name
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
      failed = failed ?? recipe.retrieve.name
      return hasResumed ? begin(recipe.end, now: now, &actions) : .silent
    case .receiving(let left):
      // They were damaged on the way.
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
    actions.append(.write(waking + recipe.retrieve.bytes))
    deadline = now.after(CommandRun.replyTime(line))
  }

  private mutating func receive(
    _ left: Int, now: Moment, _ actions: inout [DialogueAction]
  ) -> Outcome {
    guard left > 0 else { return passedOn(now: now, &actions) }
    stage = .receiving(left: left)
    // Read in lumps, the last of which tells of all before.
    deadline = now.after(
      CommandRun.replyTime(line) + (line.namedSpeed.map { Self.time(left, speed: $0) } ?? .zero))
    return .working
  }

  /// What `entries` take on a line of `speed` bit/s.
  static func time(_ entries: Int, speed: UInt32) -> Duration {
    let bits = Int64(min(max(entries, 0), 65_535)) * Int64(entryBytes) * 10
    return .milliseconds(bits * 1000 / Int64(max(speed, 1)))
  }

  /// A retrieval is over: what comes next.
  private mutating func passedOn(now: Moment, _ actions: inout [DialogueAction]) -> Outcome {
    guard isEnding else {
      stage = .keeping
      deadline = nil
      return .taken(taken)
    }
    return begin(hasResumed ? recipe.end : recipe.resume, now: now, &actions)
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
      // Some of it may have been taken.
      failed = run.failed
      isEnding = isEnding || failed != nil
      stage = .keeping
      deadline = nil
      guard isEnding else { return .begun }
      return begin(recipe.resume, now: now, &actions)
    }
    guard !hasResumed else { return .ended }
    hasResumed = true
    guard failed != recipe.retrieve.name else { return begin(recipe.end, now: now, &actions) }
    ask(isRepeated: false, now: now, &actions)
    return .working
  }
}
