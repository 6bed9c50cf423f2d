import GNSSProtocol
import Quantities

// Passes received data and timeouts to the current phase; its outcome selects the next phase.
extension ReceiverDialogue {
  mutating func received(bytes: Int, frames: Int, now: Moment, _ actions: inout [DialogueAction]) {
    guard bytes > 0 else { return }
    switch phase {
    case .closed, .identifying, .settingUp: break
    case .finding(var finding):
      let outcome = finding.received(bytes: bytes, frames: frames, line: &line, now: now, &actions)
      phase = .finding(finding)
      follow(outcome, of: finding, now: now, &actions)
    case .changingSpeed(var change, let settingUp):
      let outcome = change.received(frames: frames)
      phase = .changingSpeed(change, settingUp)
      follow(outcome, of: change, settingUp, now: now, &actions)
    case .running(var running):
      let outcome = running.received(bytes: bytes, frames: frames, now: now)
      phase = .running(running)
      follow(outcome, now: now, &actions)
    case .fallingAsleep(var falling):
      let outcome = falling.received(frames: frames, line: line, now: now, &actions)
      phase = .fallingAsleep(falling)
      follow(outcome, of: falling, now: now, &actions)
    case .asleep(var asleep):
      let outcome = asleep.received(frames: frames, now: now)
      phase = .asleep(asleep)
      follow(outcome, of: asleep, now: now, &actions)
    case .waking(var waking):
      let outcome = waking.received(frames: frames)
      phase = .waking(waking)
      follow(outcome, of: waking, now: now, &actions)
    }
  }

  mutating func take(_ answer: ReceiverAnswer, now: Moment, _ actions: inout [DialogueAction]) {
    guard settings.control == .full else { return detectStart(answer) }
    handleSavedStateAnswer(answer, now: now, &actions)
    switch phase {
    case .closed, .asleep: break
    case .finding(var finding):
      finding.take(answer, line: line, now: now, &actions)
      phase = .finding(finding)
    case .identifying(let identifying): follow(identifying.take(answer), now: now, &actions)
    case .settingUp(var settingUp):
      if detectContradiction(answer, now: now, &actions) { return }
      if case .started = answer {
        gate.arm()
        recordNewStart(isBlank: true, now: now)
        settingUp.isInterrupted = true
      }
      settingUp.run?.take(answer, now: now, &actions)
      phase = .settingUp(settingUp)
      if settingUp.run?.isFinished == true { proceed(settingUp, now: now, &actions) }
    case .changingSpeed(var change, let settingUp):
      let outcome = change.take(answer)
      phase = .changingSpeed(change, settingUp)
      follow(outcome, of: change, settingUp, now: now, &actions)
    case .running:
      if detectContradiction(answer, now: now, &actions) { return }
      handleAidingAnswer(answer, now: now, &actions)
      handleAdjustingAnswer(answer, now: now, &actions)
      handleBatchingAnswer(answer, now: now, &actions)
      detectRestart(answer, now: now, &actions)
    case .fallingAsleep(var falling):
      falling.take(answer, now: now, &actions)
      recordSaving(falling)
      phase = .fallingAsleep(falling)
    case .waking(var waking):
      let outcome = waking.take(answer, now: now, &actions)
      phase = .waking(waking)
      follow(outcome, of: waking, now: now, &actions)
    }
  }

  mutating func timeOut(now: Moment, _ actions: inout [DialogueAction]) {
    switch phase {
    case .closed:
      desiredState = .awake
      phase = .closed(wakesAt: nil)
      switchOn(&actions)
    case .finding(var finding):
      let outcome = finding.handleTimeout(line: &line, now: now, &actions)
      phase = .finding(finding)
      follow(outcome, of: finding, now: now, &actions)
    case .identifying(var identifying):
      let outcome = identifying.handleTimeout(line: line, now: now, &actions)
      phase = .identifying(identifying)
      follow(outcome, now: now, &actions)
    case .settingUp(var settingUp):
      settingUp.run?.handleTimeout(now: now, &actions)
      phase = .settingUp(settingUp)
      if settingUp.run?.isFinished != false { proceed(settingUp, now: now, &actions) }
    case .changingSpeed(var change, let settingUp):
      let outcome = change.handleTimeout(line: &line, now: now, &actions)
      phase = .changingSpeed(change, settingUp)
      follow(outcome, of: change, settingUp, now: now, &actions)
    case .running(var running):
      let outcome = running.handleTimeout(now: now)
      phase = .running(running)
      follow(outcome, now: now, &actions)
    case .fallingAsleep(var falling):
      let outcome = falling.handleTimeout(now: now, &actions)
      recordSaving(falling)
      phase = .fallingAsleep(falling)
      follow(outcome, of: falling, now: now, &actions)
    case .asleep(let asleep): endSleep(asleep, now: now, &actions)
    case .waking(var waking):
      let outcome = waking.handleTimeout(line: &line, now: now, &actions)
      phase = .waking(waking)
      follow(outcome, of: waking, now: now, &actions)
    }
  }
}
