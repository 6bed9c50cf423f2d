import GNSS
import Quantities

/// What a receiver plan is told.
public enum PlanEvent: Equatable, Sendable {
  /// The program has begun; the receiver is to be taken for asleep.
  case started
  /// An epoch of the receiver, with or without a position.
  case epoch(Fix)
  /// The strongest satellite heard while there is no fix, in dB-Hz.
  case heard(strongest: Double)
  /// Some evidence of motion came or went.
  case evidence(MotionSource, isActive: Bool)
  /// A sensor failed or was taken away: it says nothing any more.
  case evidenceLost(MotionSource)
  /// A zone, an alarm or the operator wants a position now, moving or not.
  case positionWanted
  /// Other wishes of the operator, or another battery level.
  case scheme(ReceiverScheme)
}
