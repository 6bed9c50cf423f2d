import Glibc

/// The typical curvature of the device's tracks, learned per range of speed.
///
/// Between two fixes `seconds` apart the track deviates from the straight line by `rate · seconds^1.5` metres in the
/// middle. This is the law of a velocity that performs a random walk. The contribution of the fixes' own errors is
/// subtracted before learning. Owned by ``TrackSampling``.
struct TrackCurvature: Equatable, Sendable {
  /// The range of speed: on foot, on a bicycle or in a traffic jam, in a town, on a road.
  enum SpeedRange: Int, CaseIterable {
    case slow, middle, quick, fast

    /// The range of `speed`, in m/s.
    init(speed: Double) {
      self = speed < 2.5 ? .slow : speed < 8 ? .middle : speed < 18 ? .quick : .fast
    }
  }

  /// The squares of the rates, in m²/s³.
  private var squares: [Double]

  init() { squares = SpeedRange.allCases.map { Self.prior($0) * Self.prior($0) } }

  /// The initial rate in m/s^1.5.
  private static func prior(_ range: SpeedRange) -> Double {
    switch range {
    case .slow: 0.04
    case .middle: 0.12
    case .quick: 0.15
    case .fast: 0.15
    }
  }

  /// Weight of a new measurement.
  private static let weight = 0.1
  /// Upper limit of a measurement as a multiple of the expected value, so that one corner does not dominate an hour.
  private static let measurementLimit = 6.0
  /// Lower limit of the rate as a share of the initial value.
  private static let least = 0.3

  func rate(at speed: Double) -> Double { squares[SpeedRange(speed: speed).rawValue].squareRoot() }

  /// Learns from two fixes `seconds` apart with the track `bend` metres off the straight line, of which `noise` may
  /// be error.
  mutating func learn(bend: Double, noise: Double, seconds: Double, speed: Double) {
    guard seconds > 0 else { return }
    let range = SpeedRange(speed: speed)
    let known = squares[range.rawValue]
    let seen = (bend * bend - noise * noise) / (seconds * seconds * seconds)
    let clamped = min(max(seen, -Self.measurementLimit * known), Self.measurementLimit * known)
    let least = Self.least * Self.prior(range)
    squares[range.rawValue] = max(known + Self.weight * (clamped - known), least * least)
  }

  /// The seconds until the track deviates by `metres`.
  func interval(within metres: Double, speed: Double) -> Double {
    pow(metres / max(rate(at: speed), 1e-3), 2.0 / 3)
  }
}
