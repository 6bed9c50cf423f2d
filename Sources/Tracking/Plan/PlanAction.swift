import Energy
import Quantities

/// What a receiver plan wants done, in this order.
public enum PlanAction: Equatable, Sendable {
  /// Bring the receiver into this state. `until` is when it is wanted again at the latest, for a standby with a timer;
  /// nil where only an event ends it.
  case receiver(ReceiverState, until: Moment?)
  /// The fix just told becomes a record.
  case keep(KeepReason)
  /// The place that is known without the receiver answers an errand and becomes a record.
  case keepKnownPlace(KeepReason)
  /// The last kept place becomes a record once more, as of `at`: it has not been left until then.
  case keepLastPlace(KeepReason, at: Moment)
}
