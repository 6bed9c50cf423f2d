import Quantities

// Before its supply is cut a receiver with flash saves what it knows of the sky.
extension ReceiverDialogue {
  /// What is to be said before a sleep by these means. Nothing new is known without a fix.
  mutating func commandsToSave(before means: FallingAsleep.Means, now: Moment) -> [ReceiverCommand] {
    switch means {
    case .recipe: return []
    case .enableLine: break
    }
    guard isConfirmed, enabled != false, aidPlan.hasFix, savedState.maySave(now: now),
      let commands = dialect?.saveState(), !commands.isEmpty
    else { return [] }
    savedState.saves(now: now)
    return commands
  }

  func isSaving(_ falling: FallingAsleep) -> Bool {
    switch falling.means {
    case .recipe: false
    case .enableLine: !falling.hasCutSupply
    }
  }

  mutating func noteSaving(_ falling: FallingAsleep) {
    if falling.hasSaved { savedState.isKept = true }
    if falling.hasCutSupply { enabled = false }
  }

  /// A saving that the port interrupted has stopped the receiver all the same.
  mutating func cutUnlessCut(_ falling: FallingAsleep, _ actions: inout [DialogueAction]) {
    if isSaving(falling) { switchOff(&actions) }
  }

  /// Starts what the saving has stopped, where the supply was not cut after all.
  mutating func resume(_ actions: inout [DialogueAction]) {
    guard savedState.isStopped else { return }
    savedState.isStopped = false
    for command in dialect?.resume() ?? [] { actions.append(.write(command.bytes)) }
  }

  /// It runs again: what was saved is stale from now on.
  mutating func clearSavedState(now: Moment, _ actions: inout [DialogueAction]) {
    guard settings.control == .full, isConfirmed, savedState.mayClear(now: now),
      let command = dialect?.clearSavedState()
    else { return }
    savedState.cleared(now: now)
    actions.append(.write(command.bytes))
  }

  /// At its start it tells that it took back what was saved, perhaps at the wish of an earlier run of the program.
  mutating func noteSavedState(_ answer: ReceiverAnswer, now: Moment, _ actions: inout [DialogueAction]) {
    guard case .savedState(command: 3, response: 2) = answer else { return }
    savedState.isKept = true
    switch phase {
    case .running: clearSavedState(now: now, &actions)
    case .closed, .finding, .identifying, .settingUp, .changingSpeed, .fallingAsleep, .asleep, .waking: break
    }
  }
}
