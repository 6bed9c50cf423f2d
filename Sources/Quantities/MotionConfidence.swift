/// How sure it is what the body or the vehicle is doing.
public enum MotionConfidence: UInt8, Sendable, CaseIterable, Comparable {
  /// The best guess and no more.
  case low
  case medium
  /// Of the seconds so called, 19 of 20 are right.
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
