import Quantities

/// A ground speed with its time.
public struct SpeedReading: Equatable, Sendable {
  /// The speed in m/s.
  public var speed: Float
  /// The accuracy in m/s (1 sigma); nil if the receiver does not report it.
  public var accuracy: Float?
  public var moment: Moment

  public init(speed: Float, accuracy: Float? = nil, at moment: Moment) {
    (self.speed, self.accuracy, self.moment) = (speed, accuracy, moment)
  }

  /// The age up to which a speed is used.
  static let shelfLife = Duration.seconds(3)

  /// The time by which a speed may be newer than the second: later samples close a second, and may come with a newer
  /// speed.
  static let lead = Duration.seconds(1)

  /// Returns true if the speed is valid at a moment: not too old, and its accuracy not worse than its value.
  func isUsable(at moment: Moment) -> Bool {
    guard speed.isFinite, speed >= 0, speed < 150 else { return false }
    guard moment - self.moment <= Self.shelfLife, self.moment - moment <= Self.lead else { return false }
    guard let accuracy else { return true }
    return accuracy.isFinite && accuracy >= 0 && accuracy <= max(speed, 1)
  }
}
