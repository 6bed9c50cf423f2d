/// The likelihoods for sample rates too low for a rhythm: they distinguish moving from stationary, not the activities.
enum SparseEvidence {
  /// The lowest sample rate in Hz at which steps can be detected.
  static let leastRate: Float = 8

  /// Returns the log-likelihoods for the standard deviation of five seconds in g, all axes together.
  static func likelihoods(deviation: Float) -> ActivityValues {
    deviation < StationaryDecision.calm
      ? ActivityValues(-3, -3, -3, -1.5, 0, 0, 0, 0) : ActivityValues(0, 0, 0, 0, -2, 0, 0, 0)
  }
}
