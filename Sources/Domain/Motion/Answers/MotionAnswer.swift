import Quantities

/// The result of ``MotionClassifier`` for one second.
public struct MotionAnswer: Equatable, Sendable {
  /// The start of the second.
  public var second: Moment
  /// The activity, together with ``MotionStates/stationary`` if a vehicle or bicycle halts. Empty while unknown.
  public var states: MotionStates
  public var confidence: MotionConfidence
  /// The fast decision that wakes the receiver, two to three seconds old: true if the device moves.
  public var isMoving: Bool
  /// The total number of steps.
  public var steps: UInt64
}
