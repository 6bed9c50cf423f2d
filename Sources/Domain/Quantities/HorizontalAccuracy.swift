/// Interprets a receiver's horizontal accuracy: the radius in metres that holds the true position with a probability
/// of 68 %. The only place that does so.
public enum HorizontalAccuracy {
  /// Assumed accuracy in metres of a fix without one: that of a poor fix in the open.
  public static let assumed = 30.0

  /// Accuracy in metres of a fix that is reliable without confirmation.
  public static let good = 10.0

  /// Accuracy in metres from which a fix proves nothing about the place of the device.
  public static let vague = 1000.0

  /// Margin in metres of a position without accuracy at a privacy zone: what destinations show for an unknown accuracy.
  public static let unknownMargin = 100.0

  /// Half the circumference of the earth in metres: the accuracy of a fix that may be anywhere.
  public static let anywhere = 20_037_508.0

  /// The accuracy, at most ``anywhere``; nil if unknown. Receivers without an estimate send 0, which no fix attains.
  public static func known(_ radius: Double?) -> Double? {
    guard let radius, radius > 0 else { return nil }
    return min(radius, anywhere)
  }

  /// The accuracy, or ``assumed`` if unknown: the figure of every decision.
  public static func effective(_ radius: Double?) -> Double { known(radius) ?? assumed }

  /// The accuracy as the log stores it, in metres; ``assumed`` if unknown.
  public static func effective(millimetres: Int32?) -> Double {
    effective(millimetres.map { Double($0) / 1000 })
  }

  /// Distance in metres to a privacy zone within which a position may be inside, at most ``vague``.
  public static func margin(_ radius: Double?) -> Double { min(known(radius) ?? unknownMargin, vague) }

  /// Order of two accuracies, the best first. An unknown one is worse than any estimate, but better than a vague position.
  public static func isWorse(_ radius: Double?, than other: Double?) -> Bool {
    (known(radius) ?? anywhere.nextDown) > (known(other) ?? anywhere.nextDown)
  }

  /// Distance in metres within which two fixes of one location are with a probability of 68 %.
  public static func uncertainty(_ a: Double?, _ b: Double?) -> Double {
    let (a, b) = (effective(a), effective(b))
    return (a * a + b * b).squareRoot()
  }
}
