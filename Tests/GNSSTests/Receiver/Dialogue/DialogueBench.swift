import Quantities
import GNSSReceiver

/// Runs a dialogue on a simulated clock and records its actions.
struct DialogueBench {
  var now: Moment
  var dialogue: ReceiverDialogue
  private(set) var actions: [DialogueAction] = []

  init(_ settings: DialogueSettings, known: KnownReceiver? = nil, now: Moment = .zero) {
    self.now = now
    dialogue = ReceiverDialogue(settings: settings, known: known, now: now)
  }

  mutating func send(_ event: DialogueEvent) { record(dialogue.handle(event, now: now)) }

  mutating func received(_ bytes: Int, _ frames: Int) { send(.received(bytes: bytes, frames: frames)) }

  /// Advances the clock. If `drains` is true, a wait for an empty UART is answered immediately.
  mutating func advance(milliseconds: Int64, drains: Bool = true) {
    let end = now + .milliseconds(milliseconds)
    var turns = 0
    while let deadline = dialogue.nextTimeout, deadline <= end, turns < 100_000 {
      now = max(now, deadline)
      turns += 1
      let actions = dialogue.handleTimeout(now: now)
      record(actions)
      if drains, actions.contains(.awaitDrain) { send(.drained) }
    }
    now = end
  }

  mutating func advance(seconds: Int64) { advance(milliseconds: seconds * 1000) }

  /// The actions since the last call.
  mutating func take() -> [DialogueAction] {
    defer { actions = [] }
    return actions
  }

  private mutating func record(_ new: [DialogueAction]) { actions += new }
}

extension DialogueAction {
  var isWrite: Bool { if case .write = self { true } else { false } }
  var speed: UInt32? { if case .setSpeed(let speed) = self { speed } else { nil } }
  var notice: DialogueNotice? { if case .report(let notice) = self { notice } else { nil } }
}
