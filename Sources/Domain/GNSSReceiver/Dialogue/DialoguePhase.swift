import Quantities

/// The current phase of a dialogue; each phase carries its own deadline.
enum DialoguePhase: Sendable {
  /// The port is closed. `wakesAt` is the end of a sleep by the enable line.
  case closed(wakesAt: Moment?)
  case connecting(Connecting)
  case running(Running)
  case fallingAsleep(FallingAsleep)
  case asleep(Asleep)
  case waking(Waking)

  /// The properties of a phase that others read, in one value, because every access copies the phase.
  struct Status {
    var state: ReceiverDialogue.State
    /// True if the phase waits for a reply or for silence.
    var listensClosely = true
    var deadline: Moment?
    /// True if the receiver stores its epochs, or is about to begin or end that.
    var isBatching = false
  }

  var status: Status {
    switch self {
    case .closed(let wakesAt): Status(state: .closed, listensClosely: false, deadline: wakesAt)
    case .connecting(.finding(let finding)):
      Status(state: .finding, listensClosely: !finding.isBackingOff, deadline: finding.deadline)
    case .connecting(.identifying(let identifying)):
      Status(state: .identifying, deadline: identifying.deadline)
    case .connecting(.settingUp(let settingUp)):
      Status(state: .configuring, deadline: settingUp.deadline)
    case .connecting(.changingSpeed(let change, _)):
      Status(state: .configuring, deadline: change.deadline)
    case .running(let running):
      Status(
        state: .running, listensClosely: running.listensClosely, deadline: running.deadline,
        isBatching: running.batching != nil)
    case .fallingAsleep(let falling): Status(state: .fallingAsleep, deadline: falling.deadline)
    case .asleep(let asleep): Status(state: .asleep, listensClosely: false, deadline: asleep.deadline)
    case .waking(let waking): Status(state: .waking, deadline: waking.deadline)
    }
  }
}
