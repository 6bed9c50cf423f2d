import GNSSProtocol
import Quantities

/// Puts the receiver to sleep and waits for the silence that proves it.
struct FallingAsleep: Sendable {
  static let mostTries = 3
  static let quiet = Duration.seconds(1)
  /// Time to finish a sentence after the enable line was lowered.
  static let lineGrace = Duration.milliseconds(300)

  /// The means of sleep.
  enum Means: Sendable {
    case sequence(SleepSequence)
    case enableLine
  }

  /// The result of the phase.
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

  private let means: Means
  /// The requested time to wake up; nil until it is requested.
  private(set) var until: Moment?
  private let quiet: Duration
  /// The commands before the supply is cut.
  private let saving: [ReceiverCommand]
  private var stage = Stage.draining
  private var tries = 0
  private(set) var deadline: Moment?
  /// True if the enable line is low.
  private(set) var hasCutSupply = false
  /// True if the receiver confirmed that its state is saved.
  private(set) var hasSaved = false

  /// Creates the phase. `saving` is sent before the enable line goes low; a failure does not keep the
  /// receiver awake.
  init(_ means: Means, saving: [ReceiverCommand] = [], until: Moment?, interval: Duration) {
    self.means = means
    self.saving = saving
    self.until = until
    quiet = max(Self.quiet, interval + Finding.margin)
  }

  /// True if the enable line puts the receiver to sleep.
  var isByLine: Bool {
    switch means {
    case .enableLine: true
    case .sequence: false
    }
  }

  /// True if this sleep loses volatile settings.
  var losesSettings: Bool {
    switch means {
    case .enableLine: true
    case .sequence(let sequence): sequence.losesSettings
    }
  }

  /// True if the supply is to be cut and still on.
  var isBeforeCut: Bool { isByLine && !hasCutSupply }

  mutating func change(until: Moment?) { self.until = until }

  mutating func begin(line: LineState, now: Moment, _ actions: inout [DialogueAction]) {
    tries += 1
    switch means {
    case .enableLine:
      guard !saving.isEmpty else { return cut(now: now, &actions) }
      var run = CommandRun(saving, line: line, reports: false)
      run.begin(now: now, &actions)
      follow(run, now: now, &actions)
    case .sequence(let sequence):
      var run = CommandRun(sequence.commands, line: line, reports: false)
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

  /// Repeats the sleep command if frames arrive after the grace period.
  mutating func received(
    frames: Int, line: LineState, now: Moment, _ actions: inout [DialogueAction]
  ) -> Outcome {
    guard case .proving(let graceEnds) = stage, frames > 0, now > graceEnds else { return .working }
    guard tries < Self.mostTries, case .sequence = means else { return .keepsTalking }
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
    case .sequence(let sequence): min(sequence.grace, .seconds(30))
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
    case .sequence:
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
