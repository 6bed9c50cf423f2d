import Glibc

/// The position error over a day, with standard deviation 1 per axis before scaling.
///
/// A receiver's navigation filter makes its error smooth from second to second: two equal low-pass filters in
/// series, with a correlation of (1 + t/T)·exp(−t/T) that falls to 1/e after 30 s.
struct PositionNoise: Sendable {
  private var north: [Double]
  private var east: [Double]

  init(seed: UInt64, seconds: Int) {
    var chance = Chance(seed: seed, stream: 1)
    north = Self.process(seconds, &chance)
    east = Self.process(seconds, &chance)
  }

  func error(at time: Double) -> (north: Double, east: Double) {
    let second = min(max(Int(time), 0), north.count - 2)
    let share = min(max(time - Double(second), 0), 1)
    return (
      north[second] + share * (north[second + 1] - north[second]),
      east[second] + share * (east[second + 1] - east[second])
    )
  }

  private static func process(_ seconds: Int, _ chance: inout Chance) -> [Double] {
    // (1 + x)·exp(−x) = 1/e at x = 2.146.
    let keep = exp(-2.146 / WorldConstants.errorCorrelation)
    let share = 1 - keep * keep
    // Variance of two cascaded one-pole filters, each driven so that the first has variance 1.
    let variance = (1 - keep) * (1 - keep) * (1 + keep * keep) / (share * share)
    let scale = 1 / variance.squareRoot()
    var (first, second) = (chance.normal(), 0.0)
    var values: [Double] = []
    values.reserveCapacity(seconds + 2)
    for index in 0..<(seconds + 2 + warmUp) {
      first = keep * first + share.squareRoot() * chance.normal()
      second = keep * second + (1 - keep) * first
      if index >= warmUp { values.append(second * scale) }
    }
    return values
  }

  private static let warmUp = 300
}
