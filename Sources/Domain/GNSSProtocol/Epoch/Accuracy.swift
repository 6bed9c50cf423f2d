import Glibc
import Quantities

/// Conversion of all sources to one figure: the radius in metres that holds the true position with a
/// probability of 68 %.
enum Accuracy {
  /// One-sigma range error in metres of a single-frequency receiver with unobstructed reception.
  static let rangeError = 5.0
  /// The same error with corrections.
  static let correctedRangeError = 2.5
  /// Assumed ratio of vertical to horizontal dilution if only the latter is known.
  static let usualVerticalRatio = 1.6
  /// Largest meaningful accuracy in metres; receivers send larger ones when they have no estimate.
  static let largest = 10_000.0

  /// A receiver's accuracy in metres; nil if it is meaningless.
  static func metres(_ value: Double) -> Double? { value > 0 && value <= largest ? value : nil }

  /// Smallest speed in m/s with a meaningful course.
  static let slowest = 0.5

  /// One-sigma error of the course in degrees, derived from the speed and its error.
  static func course(speed: Double?, error: Double?) -> Double? {
    guard let speed, let error, speed >= slowest else { return nil }
    return atan2(error, speed) * 180 / .pi
  }

  static func rangeError(of kind: FixKind) -> Double {
    switch kind {
    case .differential, .realTimeKinematicFloat, .realTimeKinematicFixed: correctedRangeError
    case .none, .twoDimensional, .threeDimensional, .deadReckoning: rangeError
    }
  }
}
