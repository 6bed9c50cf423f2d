import GNSS
import Quantities
import SystemLoop

/// Switches the receiver's supply, as by a line of the board; throws what that says.
public typealias SupplySwitch = (_ isOn: Bool) throws(SystemError) -> Void

extension ReceiverLine {
  /// For so long is the supply cut, so that the receiver's capacitors run empty.
  static let supplyCut = Duration.seconds(3)

  func switchSupply(_ isOn: Bool) {
    do throws(SystemError) { try supply?(isOn) } catch { say(.supplyRefused(error)) }
  }

  /// False where there is no switch, or the dialogue is at it already.
  func cyclePower(now: Moment) -> Bool {
    switch dialogue.state {
    case .running, .finding: break
    case .closed, .identifying, .configuring, .fallingAsleep, .asleep, .waking: return false
    }
    guard supply != nil, supplyTimer?.isArmed != true else { return false }
    switchSupply(false)
    supplyTimer?.arm(at: now + Self.supplyCut)
    return true
  }

  /// After its cut: the receiver starts as if for the first time, its backup supply apart.
  func restoreSupply(now: Moment) {
    switchSupply(true)
    guard open != nil, dialogue.state == .running else { return }
    help(now: now)
    tell(.want(.foundAgain), now: now)
  }
}
