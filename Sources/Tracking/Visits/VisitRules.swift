import Quantities

/// When a stay is a visit.
public struct VisitRules: Equatable, Sendable {
  /// So long a rest makes an arrival.
  public var arrivalDelay = Duration.seconds(180)
  /// Metres from the centre, uncertainty subtracted, that make a departure.
  public var leaveDistance = 100.0
  /// So long the device must be away; a single fix elsewhere is none.
  public var leaveDelay = Duration.seconds(10)

  public init() {}
}
