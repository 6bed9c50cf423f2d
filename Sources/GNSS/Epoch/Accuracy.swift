import Quantities

/// One figure for all sources: the radius that holds the true place with 68 % probability, in metres.
struct Accuracy {
  var horizontal: Double?
  var vertical: Double?
  var source = AccuracySource.none

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

  /// From NAV-PVT, else from the error ellipse of GST, else from the dilution of precision.
  init(of epoch: Epoch, kind: FixKind) {
    if let solution = epoch.solution, let horizontal = solution.horizontalAccuracy {
      self.horizontal = horizontal
      vertical = solution.verticalAccuracy
      source = .receiver
      return
    }
    if let ellipse = epoch.ellipse.value {
      let square = ellipse.latitude * ellipse.latitude + ellipse.longitude * ellipse.longitude
      if let horizontal = Self.metres(square.squareRoot()) {
        self.horizontal = horizontal
        vertical = ellipse.altitude.flatMap(Self.metres)
        source = .errorEllipse
        return
      }
    }
    guard let dilution = epoch.horizontalDilution.value else { return }
    let range = Self.rangeError(of: kind)
    horizontal = dilution * range
    vertical = (epoch.verticalDilution ?? dilution * Self.usualVerticalRatio) * range
    source = .dilution
  }

  private static func rangeError(of kind: FixKind) -> Double {
    switch kind {
    case .differential, .realTimeKinematicFloat, .realTimeKinematicFixed: correctedRangeError
    case .none, .twoDimensional, .threeDimensional, .deadReckoning: rangeError
    }
  }
}
