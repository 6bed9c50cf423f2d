import Quantities

/// A ground speed and when it was measured.
public struct SpeedReading: Equatable, Sendable {
  /// m/s.
  public var speed: Float
  /// One sigma, m/s; nil where the receiver does not tell.
  public var accuracy: Float?
  public var moment: Moment

  public init(speed: Float, accuracy: Float? = nil, at moment: Moment) {
    (self.speed, self.accuracy, self.moment) = (speed, accuracy, moment)
  }

  /// An older speed says nothing about now.
  static let shelfLife = Duration.seconds(3)

  /// A second is closed by the samples after it, and a speed may come with these.
  static let lead = Duration.seconds(1)

  /// Whether it says something at a moment: not too old, and not worse than what it measures.
  func isUsable(at moment: Moment) -> Bool {
    guard speed.isFinite, speed >= 0, speed < 150 else { return false }
    guard moment - self.moment <= Self.shelfLife, self.moment - moment <= Self.lead else { return false }
    guard let accuracy else { return true }
    return accuracy.isFinite && accuracy >= 0 && accuracy <= max(speed, 1)
  }
}
