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

  /// What others ask of a phase, in one look: each look copies it.
  struct Standing {
    var state: ReceiverDialogue.State
    /// It waits for a reply or for silence.
    var listensClosely = true
    var deadline: Moment?
    /// The receiver keeps its epochs, or is at the way there or back.
    var isBatching = false
  }

  var standing: Standing {
    switch self {
    case .closed(let wakesAt): Standing(state: .closed, listensClosely: false, deadline: wakesAt)
    case .finding(let finding):
      Standing(state: .finding, listensClosely: !finding.isResting, deadline: finding.deadline)
    case .identifying(let identifying): Standing(state: .identifying, deadline: identifying.deadline)
    case .settingUp(let settingUp): Standing(state: .configuring, deadline: settingUp.run?.deadline)
    case .changingSpeed(let change, _): Standing(state: .configuring, deadline: change.deadline)
    case .running(let running):
      Standing(
        state: .running,
        listensClosely: running.adjusting != nil || running.batching?.listensClosely == true,
        deadline: running.deadline, isBatching: running.batching != nil)
    case .fallingAsleep(let falling): Standing(state: .fallingAsleep, deadline: falling.deadline)
    case .asleep(let asleep): Standing(state: .asleep, listensClosely: false, deadline: asleep.deadline)
    case .waking(let waking): Standing(state: .waking, deadline: waking.deadline)
    }
  }
}
