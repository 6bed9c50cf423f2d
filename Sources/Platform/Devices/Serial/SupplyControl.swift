import EventLoop
import Quantities
import System

/// Switches the receiver's supply, for example by a GPIO line of the board; throws the error of that line.
public typealias SupplySwitch = (_ isOn: Bool) throws(SystemError) -> Void

/// The switch of the receiver's supply, and the timer of an interruption.
///
/// Belongs to the thread of its loop.
final class SupplyControl {
  /// Handlers.
  struct Outputs {
    /// The switch failed.
    var failed: (SystemError) -> Void
    /// The supply is back after an interruption.
    var restored: (Moment) -> Void
  }

  /// Duration of a supply interruption, long enough to discharge the receiver's capacitors.
  static let interruption = Duration.seconds(3)

  private let loop: EventLoop
  private let supply: SupplySwitch?
  private var outputs: Outputs?
  /// Armed while the supply is interrupted.
  private var timer: LoopTimer?

  /// `supply` is on now; nil if the supply cannot be switched.
  init(loop: EventLoop, supply: SupplySwitch?) {
    self.loop = loop
    self.supply = supply
  }

  /// Allows switching.
  func start(_ outputs: Outputs) {
    self.outputs = outputs
    timer = loop.addTimer("receiver supply") { [unowned self] now in
      set(true)
      self.outputs?.restored(now)
    }
  }

  /// Ends an interruption permanently without switching the supply on.
  func stop() {
    if let timer { loop.removeTimer(timer) }
  }

  var isAvailable: Bool { supply != nil }

  func set(_ isOn: Bool) {
    do throws(SystemError) { try supply?(isOn) } catch { outputs?.failed(error) }
  }

  /// Interrupts the supply, so that the receiver restarts with only its backup supply retained. Returns false
  /// if there is no switch or an interruption is in progress.
  func interrupt(now: Moment) -> Bool {
    guard isAvailable, timer?.isArmed != true else { return false }
    set(false)
    timer?.arm(at: now + Self.interruption)
    return true
  }
}
