import Quantities

/// What is known of the motion at the end of one second.
public struct MotionAnswer: Equatable, Sendable {
  /// The beginning of the second.
  public var second: Moment
  /// Empty while unknown. The activity, and ``MotionStates/stationary`` beside it where a vehicle halts.
  public var states: MotionStates
  public var confidence: MotionConfidence
  /// The fast decision, two to three seconds old, that a receiver is woken by: something moves.
  public var isMoving: Bool
  /// The running total.
  public var steps: UInt64
}
