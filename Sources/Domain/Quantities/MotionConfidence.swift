/// The confidence in the motion state.
public enum MotionConfidence: UInt8, Sendable, CaseIterable, Comparable {
  /// The most probable state only.
  case low
  case medium
  /// Correct in at least 19 of 20 seconds.
  case high

  public var word: StaticString {
    switch self {
    case .low: "low"
    case .medium: "medium"
    case .high: "high"
    }
  }

  public static func < (a: MotionConfidence, b: MotionConfidence) -> Bool { a.rawValue < b.rawValue }
}
