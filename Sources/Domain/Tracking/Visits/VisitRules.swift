import Quantities

/// The rules for arrival and departure of a visit.
public struct VisitRules: Equatable, Sendable {
  /// Time stationary that makes an arrival.
  public var arrivalDelay = Duration.seconds(180)
  /// Distance in metres from the centre, uncertainty subtracted, that makes a departure.
  public var leaveDistance = 100.0
  /// Time that the device must be away, because a single fix elsewhere proves nothing.
  public var leaveDelay = Duration.seconds(10)

  public init() {}
}
