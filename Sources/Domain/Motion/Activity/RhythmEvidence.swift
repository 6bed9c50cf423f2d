/// Lowers the likelihood of driving and stationary if the signal has a strong and regular rhythm.
///
/// Springs are damped and roads are rough, so a vehicle never oscillates for seconds as regularly as legs do.
enum RhythmEvidence {
  /// The heights of the autocorrelation peak at which the penalty starts and is full.
  static let strength: ClosedRange<Float> = 0.6...0.8
  /// The minimum standard deviation of the vector length in g.
  static let leastDeviation: Float = 0.08
  /// The full penalty of the log-likelihood.
  static let weight: Float = 3

  /// Returns the term to add to the log-likelihoods.
  static func correction(strength height: Float, deviation: Float) -> ActivityValues {
    guard deviation > leastDeviation else { return .zero }
    let part = (height - strength.lowerBound) / (strength.upperBound - strength.lowerBound)
    let penalty = -weight * max(0, min(1, part))
    return ActivityValues(0, 0, 0, penalty, penalty, 0, 0, 0)
  }
}
