import Quantities

/// Something that was driven harshly.
public struct DrivingEvent: Equatable, Sendable {
  public enum Kind: Equatable, Sendable, CaseIterable {
    case acceleration, braking, corneringLeft, corneringRight
  }

  public var kind: Kind
  /// When it went over the threshold.
  public var start: Moment
  /// For how long it stayed near or above it.
  public var duration: Duration
  /// m/s², the most that held for half a second.
  public var peak: Float
}
