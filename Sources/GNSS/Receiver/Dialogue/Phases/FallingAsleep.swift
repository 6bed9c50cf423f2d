import Quantities

/// Puts the receiver to sleep and waits for the silence that proves it.
struct FallingAsleep: Sendable {
  static let mostTries = 3
  static let quiet = Duration.seconds(1)
  /// A receiver whose enable line was lowered ends its sentence at most.
  static let lineGrace = Duration.milliseconds(300)

  /// What is done to it.
  enum Means: Sendable {
    case recipe(SleepRecipe)
    case enableLine
  }

  enum Outcome: Equatable, Sendable {
    case working
    case asleep
    case keepsTalking
  }

  private enum Stage: Sendable {
    case commanding(CommandRun)
    case draining
    case proving(graceEnds: Moment)
  }

  let means: Means
  /// When it is to be awake again; nil for until it is wanted.
  var until: Moment?
  private let quiet: Duration
  /// What goes before the cut of the supply.
  private let saving: [ReceiverCommand]
  private var stage = Stage.draining
  private var tries = 0
  private(set) var deadline: Moment?
  /// The enable line is low.
  private(set) var hasCutSupply = false
  /// The receiver said that its state is saved.
  private(set) var hasSaved = false

  /// `saving` is said before the enable line goes low; nothing of it keeps the receiver awake.
  init(_ means: Means, saving: [ReceiverCommand] = [], until: Moment?, interval: Duration) {
    self.means = means
    self.saving = saving
    self.until = until
    quiet = max(Self.quiet, interval + Finding.margin)
  }

  mutating func begin(line: LineState, now: Moment, _ actions: inout [DialogueAction]) {
    tries += 1
    switch means {
    case .enableLine:
      guard !saving.isEmpty else { return cut(now: now, &actions) }
      var run = CommandRun(saving, line: line, reports: false)
      run.begin(now: now, &actions)
      follow(run, now: now, &actions)
    case .recipe(let recipe):
      var run = CommandRun(recipe.commands, line: line, reports: false)
      run.begin(now: now, &actions)
      follow(run, now: now, &actions)
    }
  }

  mutating func take(_ answer: ReceiverAnswer, now: Moment, _ actions: inout [DialogueAction]) {
    guard case .commanding(var run) = stage else { return }
    run.take(answer, now: now, &actions)
    follow(run, now: now, &actions)
  }

  mutating func drained(now: Moment) {
    guard case .draining = stage else { return }
    prove(grace: grace, now: now)
  }

  /// Frames after the grace show that it did not listen.
  mutating func heard(
    frames: Int, line: LineState, now: Moment, _ actions: inout [DialogueAction]
  ) -> Outcome {
    guard case .proving(let graceEnds) = stage, frames > 0, now > graceEnds else { return .working }
    guard tries < Self.mostTries, case .recipe = means else { return .keepsTalking }
    begin(line: line, now: now, &actions)
    return .working
  }

  mutating func handleTimeout(now: Moment, _ actions: inout [DialogueAction]) -> Outcome {
    guard let deadline, now >= deadline else { return .working }
    switch stage {
    case .commanding(var run):
      run.handleTimeout(now: now, &actions)
      follow(run, now: now, &actions)
      return .working
    case .draining:
      prove(grace: grace, now: now)
      return .working
    case .proving: return .asleep
    }
  }

  private var grace: Duration {
    switch means {
    case .enableLine: Self.lineGrace
    case .recipe(let recipe): min(recipe.grace, .seconds(30))
    }
  }

  private mutating func follow(_ run: CommandRun, now: Moment, _ actions: inout [DialogueAction]) {
    guard run.isFinished else {
      stage = .commanding(run)
      deadline = run.deadline
      return
    }
    switch means {
    case .enableLine:
      hasSaved = run.accepted > 0
      cut(now: now, &actions)
    case .recipe:
      stage = .draining
      actions.append(.awaitDrain)
      deadline = now.after(.seconds(2))
    }
  }

  private mutating func cut(now: Moment, _ actions: inout [DialogueAction]) {
    actions.append(.enableLine(false))
    hasCutSupply = true
    prove(grace: Self.lineGrace, now: now)
  }

  private mutating func prove(grace: Duration, now: Moment) {
    stage = .proving(graceEnds: now + grace)
    deadline = now.after(grace + quiet)
  }
}
