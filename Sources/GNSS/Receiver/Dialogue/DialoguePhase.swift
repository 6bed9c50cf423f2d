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
