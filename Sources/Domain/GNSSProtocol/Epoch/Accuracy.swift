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
  /// Largest meaningful vertical accuracy in metres, or speed accuracy in m/s. Receivers send larger ones when they
  /// have no estimate.
  static let largest = 10_000.0
  /// Largest meaningful horizontal accuracy in metres. Receivers send larger ones when they have no estimate; u-blox
  /// sends 3,750 km and more.
  static let largestHorizontal = 1_000_000.0
  /// Dilution of precision from which receivers mean "unknown".
  static let unknownDilution = 99.0

  /// A receiver's vertical accuracy in metres, or speed accuracy in m/s; nil if it is meaningless.
  static func metres(_ value: Double) -> Double? { value > 0 && value <= largest ? value : nil }

  /// A receiver's horizontal accuracy in metres: infinite if the receiver has no estimate, nil for 0.
  static func horizontal(_ value: Double) -> Double? {
    guard value > 0 else { return nil }
    return value <= largestHorizontal ? value : .infinity
  }

  /// A dilution of precision: infinite from ``unknownDilution`` on, nil for 0.
  static func dilution(_ value: Double) -> Double? {
    guard value > 0 else { return nil }
    return value < unknownDilution ? value : .infinity
  }

  /// The figure; nil if it is infinite.
  static func finite(_ figure: Double?) -> Double? { figure.flatMap { $0.isFinite ? $0 : nil } }

  /// The origin of the receiver's own figure.
  static func source(_ figure: Double?) -> AccuracySource { finite(figure) == nil ? .none : .receiver }

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
