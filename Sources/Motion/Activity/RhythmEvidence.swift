/// What an even and strong rhythm excludes: springs are damped and roads are rough, so nothing shakes a vehicle for
/// seconds as evenly as legs do; and what rests does not repeat itself.
enum RhythmEvidence {
  /// Heights of the peak of the autocorrelation from which it begins to count, and counts in full.
  static let strength: ClosedRange<Float> = 0.6...0.8
  /// g of the length.
  static let leastDeviation: Float = 0.08
  /// Logarithm by which it counts.
  static let weight: Float = 3

  /// Added to the logarithms of the likelihoods.
  static func correction(strength height: Float, deviation: Float) -> ActivityValues {
    guard deviation > leastDeviation else { return .zero }
    let part = (height - strength.lowerBound) / (strength.upperBound - strength.lowerBound)
    let penalty = -weight * max(0, min(1, part))
    return ActivityValues(0, 0, 0, penalty, penalty, 0, 0, 0)
  }
}
