import GNSS

/// The one reading of a receiver's horizontal accuracy: radius in metres that holds the true place with 68 %.
enum HorizontalAccuracy {
  /// Assumed of a fix without a figure, m: a poor fix with an open sky.
  static let assumed = 30.0

  /// The figure; nil if it is unknown. Receivers without an estimate send 0, which no fix attains.
  static func known(_ radius: Double?) -> Double? {
    guard let radius, radius.isFinite, radius > 0 else { return nil }
    return radius
  }

  /// The figure, or ``assumed`` if it is unknown.
  static func effective(_ radius: Double?) -> Double { known(radius) ?? assumed }

  /// How far two fixes of one place may lie apart with 68 % probability, m.
  static func doubt(_ a: Double?, _ b: Double?) -> Double {
    let (a, b) = (effective(a), effective(b))
    return (a * a + b * b).squareRoot()
  }
}
