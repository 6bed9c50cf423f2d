import Quantities

/// The current phase of a dialogue; each phase carries its own deadline.
enum DialoguePhase: Sendable {
  /// The port is closed. `wakesAt` is the end of a sleep by the enable line.
  case closed(wakesAt: Moment?)
  case finding(Finding)
  case identifying(Identifying)
  case settingUp(SettingUp)
  case changingSpeed(SpeedChange, SettingUp)
  case running(Running)
  case fallingAsleep(FallingAsleep)
  case asleep(Asleep)
  case waking(Waking)

  /// The properties of a phase that others read, in one value, because every access copies the phase.
  struct Standing {
    var state: ReceiverDialogue.State
    /// True if the phase waits for a reply or for silence.
    var listensClosely = true
    var deadline: Moment?
    /// True if the receiver stores its epochs, or is about to begin or end that.
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
