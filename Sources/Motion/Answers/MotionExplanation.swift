/// What an answer was made of.
public struct MotionExplanation: Equatable, Sendable {
  /// Probabilities of the activities and halts, logarithms of the likelihoods, and the features.
  public static let names: [String] =
    ActivityFilter.State.allCases.map { "p_\($0)" } + Activity.allCases.map { "log_\($0)" }
    + MotionFeatures.Name.allCases.map { "\($0)" }

  /// In the order of ``names``.
  public let values: [Float]

  init(_ filter: ActivityFilter, _ likelihoods: ActivityValues, _ features: MotionFeatures) {
    values =
      ActivityFilter.State.allCases.map { filter.probability(of: $0) }
      + Activity.allCases.map { likelihoods[$0] } + features.values
  }
}
