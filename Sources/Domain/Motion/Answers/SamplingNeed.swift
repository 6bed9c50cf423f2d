/// The minimum operation of the accelerometer that the classifier requires.
public enum SamplingNeed: Equatable, Sendable {
  /// Samples at a rate in Hz, read before they are older than `within`.
  case samples(rate: Double, within: Duration)
  /// Wake-on-motion with a threshold in g. ``MotionClassifier/stationary(until:)`` reports the time without movement.
  case watch(threshold: Double)

  /// The rate for steps with their harmonics, and for departures within seconds.
  static let attentive = SamplingNeed.samples(rate: 25, within: .seconds(2))
  /// The rate during a certain ride, which needs no rhythm.
  static let cruising = SamplingNeed.samples(rate: 12.5, within: .seconds(2))
  /// The operation while stationary.
  static let stationary = SamplingNeed.watch(threshold: 0.064)

  /// The number of calm seconds after which wake-on-motion is sufficient.
  static let calm = 60
}
