import GNSSProtocol
import Quantities

// Saving the navigation state: a receiver with flash memory saves it before its supply is cut.
extension ReceiverDialogue {
  /// The commands to send before a sleep by these means. Without a fix there is nothing new to save.
  mutating func commandsToSave(before means: FallingAsleep.Means, now: Moment) -> [ReceiverCommand] {
    switch means {
    case .sequence: return []
    case .enableLine: break
    }
    guard isConfirmed, enabled != false, aidingSchedule.hasFix, savedState.maySave(now: now),
      let commands = dialect?.saveState(), !commands.isEmpty
    else { return [] }
    savedState.saves(now: now)
    return commands
  }

  func isSaving(_ falling: FallingAsleep) -> Bool {
    switch falling.means {
    case .sequence: false
    case .enableLine: !falling.hasCutSupply
    }
  }

  mutating func recordSaving(_ falling: FallingAsleep) {
    if falling.hasSaved { savedState.isKept = true }
    if falling.hasCutSupply { enabled = false }
  }

  /// Cuts the supply after a port failure interrupted the saving, because the receiver has stopped anyway.
  mutating func cutUnlessCut(_ falling: FallingAsleep, _ actions: inout [DialogueAction]) {
    if isSaving(falling) { switchOff(&actions) }
  }

  /// Restarts the GNSS part that the saving stopped, if the supply was not cut.
  mutating func resume(_ actions: inout [DialogueAction]) {
    guard savedState.isStopped else { return }
    savedState.isStopped = false
    for command in dialect?.resume() ?? [] { actions.append(.write(command.bytes)) }
  }

  /// Clears the saved state, which is out of date as soon as the receiver runs.
  mutating func clearSavedState(now: Moment, _ actions: inout [DialogueAction]) {
    guard settings.control == .full, isConfirmed, savedState.mayClear(now: now),
      let command = dialect?.clearSavedState()
    else { return }
    savedState.cleared(now: now)
    actions.append(.write(command.bytes))
  }

  /// Handles the receiver's message that it restored a saved state, possibly one of an earlier run of the
  /// program.
  mutating func handleSavedStateAnswer(
    _ answer: ReceiverAnswer, now: Moment, _ actions: inout [DialogueAction]
  ) {
    guard case .savedState(command: 3, response: 2) = answer else { return }
    savedState.isKept = true
    switch phase {
    case .running: clearSavedState(now: now, &actions)
    case .closed, .finding, .identifying, .settingUp, .changingSpeed, .fallingAsleep, .asleep, .waking: break
    }
  }
}
