import Quantities

// Opening and loss of the port, and the enable line.
extension ReceiverDialogue {
  mutating func opened(hasSpeed: Bool, now: Moment, _ actions: inout [DialogueAction]) {
    if case .fallingAsleep(let falling) = phase { cutUnlessCut(falling, &actions) }
    line.isOpen = true
    line.hasSpeed = hasSpeed
    if hasSpeed { actions.append(.setSpeed(line.speed)) }
    switch phase {
    case .waking(var waking):
      waking.opened(now: now, &actions)
      phase = .waking(waking)
    case .asleep: break
    case .closed, .finding, .identifying, .settingUp, .changingSpeed, .running, .fallingAsleep:
      sleepIfOver(now: now)
      if case .asleep(let until) = desiredState, enabled == false {
        phase = .asleep(Asleep(byLine: true, losesSettings: true, until: until, now: now))
        return
      }
      switchOn(&actions)
      find(now: now, &actions)
    }
  }

  mutating func lost(now: Moment, _ actions: inout [DialogueAction]) {
    line.isOpen = false
    switch phase {
    case .asleep: break
    case .fallingAsleep(let falling):
      cutUnlessCut(falling, &actions)
      // The port of a receiver on USB disappears with its supply.
      enterSleep(after: falling, now: now, &actions)
    case .closed(let wakesAt): phase = .closed(wakesAt: wakesAt)
    case .finding, .identifying, .settingUp, .changingSpeed, .running, .waking:
      gate.arm()
      failedSpeed = nil
      // The next device on this port may be another one.
      isConfirmed = false
      isCyclicModeRefused = false
      isBatchingRefused = false
      phase = .closed(wakesAt: nil)
    }
  }

  /// Switches the supply on. Without it a USB port does not exist, and other receivers do not answer.
  mutating func switchOn(_ actions: inout [DialogueAction]) {
    guard settings.control == .full, settings.hasEnableLine, enabled != true else { return }
    enabled = true
    actions.append(.enableLine(true))
  }

  mutating func switchOff(_ actions: inout [DialogueAction]) {
    guard settings.control == .full, settings.hasEnableLine, enabled != false else { return }
    enabled = false
    actions.append(.enableLine(false))
  }

  /// Ends a sleep whose time has passed meanwhile.
  mutating func sleepIfOver(now: Moment) {
    if case .asleep(let until?) = desiredState, now >= until { desiredState = .awake }
  }
}
