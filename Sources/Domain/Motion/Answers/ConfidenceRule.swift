import Quantities

/// Derives the confidence from the probability of the activity and its duration.
struct ConfidenceRule: Sendable {
  /// The probability above which the confidence becomes high after ``confirmationSeconds`` seconds.
  static let sure: Float = 0.9
  /// The probability above which the confidence is medium.
  static let likely: Float = 0.7
  /// The number of consecutive seconds above ``sure`` for high confidence.
  static let confirmationSeconds = 5

  /// The lead of the most probable activity over the second that is required to report it.
  static let margin: Float = 0.15

  private var sureSeconds = 0
  private var last: Activity?

  mutating func take(_ best: Activity, _ activities: ActivityValues) -> MotionConfidence {
    let probability = activities[best]
    sureSeconds = best == last && probability > Self.sure ? min(sureSeconds + 1, 1 << 20) : 0
    last = best
    if sureSeconds >= Self.confirmationSeconds { return .high }
    return probability > Self.likely ? .medium : .low
  }

  /// Returns true if the two most probable activities are too close to report either.
  func isUndecided(_ activities: ActivityValues) -> Bool {
    var (first, second): (Float, Float) = (0, 0)
    for activity in Activity.allCases {
      let probability = activities[activity]
      (first, second) = probability > first ? (probability, first) : (first, max(second, probability))
    }
    return first - second < Self.margin
  }
}
