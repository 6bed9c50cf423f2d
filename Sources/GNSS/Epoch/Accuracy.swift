import Glibc
import Quantities

/// How one figure is made for all sources: the radius that holds the true place with 68 % probability, in metres.
enum Accuracy {
  /// One-sigma range error of a single-frequency receiver in open sky.
  static let rangeError = 5.0
  /// The same with corrections.
  static let correctedRangeError = 2.5
  /// Vertical over horizontal dilution where only the latter is known.
  static let usualVerticalRatio = 1.6
  /// Above this a receiver says that it knows nothing.
  static let largest = 10_000.0

  /// A receiver's figure, nil when it is none.
  static func metres(_ value: Double) -> Double? { value > 0 && value <= largest ? value : nil }

  /// Slower than this the course means nothing, in m/s.
  static let slowest = 0.5

  /// One-sigma error of the course in degrees, as the speed and its error bound it.
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
