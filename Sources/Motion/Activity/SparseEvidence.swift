/// What samples that are too few for a rhythm say: whether something moves, not what.
enum SparseEvidence {
  /// Hz below which steps cannot be seen.
  static let leastRate: Float = 8

  /// Logarithms of likelihoods, for the deviation of five seconds in g, all axes together.
  static func likelihoods(deviation: Float) -> ActivityValues {
    deviation < RestDecision.calm
      ? ActivityValues(-3, -3, -3, -1.5, 0, 0, 0, 0) : ActivityValues(0, 0, 0, 0, -2, 0, 0, 0)
  }
}
