import Quantities

/// What a dialogue is about at the moment; each phase carries its own deadline.
enum DialoguePhase: Sendable {
  /// The port is gone. `wakesAt`: the end of a sleep by the enable line.
  case closed(wakesAt: Moment?)
  case finding(Finding)
  case identifying(Identifying)
  case settingUp(SettingUp)
  case changingSpeed(SpeedChange, SettingUp)
  case running(Running)
  case fallingAsleep(FallingAsleep)
  case asleep(Asleep)
  case waking(Waking)

  var state: ReceiverDialogue.State {
    switch self {
    case .closed: .closed
    case .finding: .finding
    case .identifying: .identifying
    case .settingUp, .changingSpeed: .configuring
    case .running: .running
    case .fallingAsleep: .fallingAsleep
    case .asleep: .asleep
    case .waking: .waking
    }
  }

  /// It waits for a reply or for silence.
  var listensClosely: Bool {
    switch self {
    case .closed, .asleep: false
    case .running(let running): running.adjusting != nil || running.batching?.listensClosely == true
    case .finding(let finding): !finding.isResting
    case .identifying, .settingUp, .changingSpeed, .fallingAsleep, .waking: true
    }
  }

  var deadline: Moment? {
    switch self {
    case .closed(let wakesAt): wakesAt
    case .finding(let finding): finding.deadline
    case .identifying(let identifying): identifying.deadline
    case .settingUp(let settingUp): settingUp.run?.deadline
    case .changingSpeed(let change, _): change.deadline
    case .running(let running): running.deadline
    case .fallingAsleep(let falling): falling.deadline
    case .asleep(let asleep): asleep.deadline
    case .waking(let waking): waking.deadline
    }
  }
}
