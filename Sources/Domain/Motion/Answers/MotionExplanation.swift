/// The values from which an answer was derived, for `outrider classify --explain`.
public struct MotionExplanation: Equatable, Sendable {
  /// The names of the values: probabilities of the activities and halts, log-likelihoods, and features.
  public static let names: [String] =
    ActivityFilter.State.allCases.map { "p_\($0)" } + Activity.allCases.map { "log_\($0)" }
    + MotionFeatures.Name.allCases.map { "\($0)" }

  /// The values in the order of ``names``.
  public let values: [Float]

  init(_ filter: ActivityFilter, _ likelihoods: ActivityValues, _ features: MotionFeatures) {
    values =
      ActivityFilter.State.allCases.map { filter.probability(of: $0) }
      + Activity.allCases.map { likelihoods[$0] } + features.values
  }
}
