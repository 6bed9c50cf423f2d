/// The recording rule for turns.
public enum AngleRule: Equatable, Sendable {
  /// A turn in degrees, at any distance from the last record.
  case fixed(degrees: Double)
  /// A large turn within the distance `within` in metres, a small one beyond: city corners and motorway bends with
  /// few points.
  case twoScale(short: Double, within: Double, long: Double)

  /// The rule of 60° within 250 m and 20° beyond.
  public static let cornersAndBends = AngleRule.twoScale(short: 60, within: 250, long: 20)

  /// The turn in degrees that makes a record at this distance in metres from the last one.
  public func threshold(leg: Double) -> Double {
    switch self {
    case .fixed(let degrees): degrees
    case .twoScale(let short, let within, let long): leg <= within ? short : long
    }
  }
}
