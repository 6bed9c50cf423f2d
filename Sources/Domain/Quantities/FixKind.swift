/// The kind of solution of a fix, as the receiver reports it.
public enum FixKind: UInt8, Sendable, CaseIterable {
  /// No usable position.
  case none
  /// A position with a fixed altitude.
  case twoDimensional
  case threeDimensional
  /// Corrected by SBAS or a reference station.
  case differential
  /// Carrier phase, ambiguities not yet fixed.
  case realTimeKinematicFloat
  /// Carrier phase, ambiguities fixed.
  case realTimeKinematicFixed
  /// A position that is extrapolated without satellites, or combined from satellites and sensors.
  case deadReckoning

  public var word: StaticString {
    switch self {
    case .none: "none"
    case .twoDimensional: "2D"
    case .threeDimensional: "3D"
    case .differential: "differential"
    case .realTimeKinematicFloat: "RTK float"
    case .realTimeKinematicFixed: "RTK fixed"
    case .deadReckoning: "dead reckoning"
    }
  }
}
