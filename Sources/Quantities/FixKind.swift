/// What sort of solution a fix is, by the receiver's own word.
public enum FixKind: UInt8, Sendable, CaseIterable {
  /// No usable position.
  case none
  /// Position with the altitude held.
  case twoDimensional
  case threeDimensional
  /// Corrected by SBAS or a reference station.
  case differential
  /// Carrier phase, ambiguities not yet fixed.
  case realTimeKinematicFloat
  /// Carrier phase, ambiguities fixed.
  case realTimeKinematicFixed
  /// Position carried on without satellites, or satellites combined with sensors.
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
