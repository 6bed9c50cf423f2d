import Quantities
import System

/// Switches the receiver's supply, for example by a GPIO line of the board; throws the error of that line.
public typealias SupplySwitch = (_ isOn: Bool) throws(SystemError) -> Void

extension ReceiverLine {
  /// Duration of a supply interruption, long enough to discharge the receiver's capacitors.
  static let supplyCut = Duration.seconds(3)

  func switchSupply(_ isOn: Bool) {
    do throws(SystemError) { try supply?(isOn) } catch { report(.supplyRefused(error)) }
  }

  /// Interrupts the supply. Returns false if there is no switch, or if the dialogue is doing it already.
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

  /// Ends the interruption: the receiver restarts, with only its backup supply retained.
  func restoreSupply(now: Moment) {
    switchSupply(true)
    guard isOpen, dialogue.state == .running else { return }
    provideAiding(now: now)
    handle(.request(.foundAgain), now: now)
  }
}
