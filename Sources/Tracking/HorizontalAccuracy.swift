import GNSS

/// The one reading of a receiver's horizontal accuracy: radius in metres that holds the true place with 68 %.
enum HorizontalAccuracy {
  /// Assumed of a fix without a figure, m: a poor fix with an open sky.
  static let assumed = 30.0

  /// Half the circumference of the earth, m: the radius of a fix that may lie anywhere.
  static let anywhere = 20_037_508.0

  /// The figure, at most ``anywhere``; nil if it is unknown. Receivers without an estimate send 0, which no fix attains.
  static func known(_ radius: Double?) -> Double? {
    guard let radius, radius > 0 else { return nil }
    return min(radius, anywhere)
  }

  /// The figure, or ``assumed`` if it is unknown.
  static func effective(_ radius: Double?) -> Double { known(radius) ?? assumed }

  /// How far two fixes of one place may lie apart with 68 % probability, m.
  static func doubt(_ a: Double?, _ b: Double?) -> Double {
    let (a, b) = (effective(a), effective(b))
    return (a * a + b * b).squareRoot()
  }
}
