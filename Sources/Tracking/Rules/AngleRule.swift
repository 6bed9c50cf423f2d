/// When a turn is worth a record.
public enum AngleRule: Equatable, Sendable {
  /// Degrees at any distance from the last record.
  case fixed(degrees: Double)
  /// A large turn on a short leg, a small one on a long leg: city corners and motorway bends with few points.
  case twoScale(short: Double, within: Double, long: Double)

  /// 60° within 250 m, 20° beyond.
  public static let cornersAndBends = AngleRule.twoScale(short: 60, within: 250, long: 20)

  /// The turn in degrees from which a record is made, so many metres from the last one.
  public func threshold(leg: Double) -> Double {
    switch self {
    case .fixed(let degrees): degrees
    case .twoScale(let short, let within, let long): leg <= within ? short : long
    }
  }
}
