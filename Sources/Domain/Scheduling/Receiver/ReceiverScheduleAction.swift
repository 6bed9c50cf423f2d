import Energy
import Quantities

/// An action that the receiver schedule requests from its owner. Actions are carried out in order.
public enum ReceiverScheduleAction: Equatable, Sendable {
  /// Bring the receiver into this state. `until` is the latest time at which it is required again, for a standby with
  /// timer; nil if only an event ends the state.
  case receiver(ReceiverState, until: Moment?)
  /// Record the fix that was just reported.
  case keep(KeepReason)
  /// Record the location that is known without the receiver, in place of a start.
  case keepKnownPosition(KeepReason)
  /// Record the last recorded position again with the time `at`: the device was there until then.
  case keepLastPosition(KeepReason, at: Moment)
}
