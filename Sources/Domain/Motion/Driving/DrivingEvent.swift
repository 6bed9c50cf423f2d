import Quantities

/// An event of harsh driving.
public struct DrivingEvent: Equatable, Sendable {
  /// The direction of the acceleration.
  public enum Kind: Equatable, Sendable, CaseIterable {
    case acceleration, braking, corneringLeft, corneringRight
  }

  public var kind: Kind
  /// The time at which the acceleration exceeded the threshold.
  public var start: Moment
  /// The time for which it stayed near or above the threshold.
  public var duration: Duration
  /// The maximum of the half-second average, in m/s².
  public var peak: Float
}
