import Quantities

/// How sure an answer is: by the probability, by how long it has been so, and by the speed.
struct ConfidenceRule: Sendable {
  static let sure: Float = 0.9
  static let likely: Float = 0.7
  /// Seconds for which it must have been sure.
  static let standing = 5

  /// By which the best must be ahead of the next to be named.
  static let margin: Float = 0.15

  private var sureSeconds = 0
  private var last: Activity?

  mutating func take(_ best: Activity, _ activities: ActivityValues) -> MotionConfidence {
    let probability = activities[best]
    sureSeconds = best == last && probability > Self.sure ? min(sureSeconds + 1, 1 << 20) : 0
    last = best
    if sureSeconds >= Self.standing { return .high }
    return probability > Self.likely ? .medium : .low
  }

  /// The two best are so close that neither is worth a name.
  func isUndecided(_ activities: ActivityValues) -> Bool {
    var (first, second): (Float, Float) = (0, 0)
    for activity in Activity.allCases {
      let probability = activities[activity]
      (first, second) = probability > first ? (probability, first) : (first, max(second, probability))
    }
    return first - second < Self.margin
  }
}
