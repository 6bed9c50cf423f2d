/// The least that the accelerometer must do for the present question.
public enum SamplingNeed: Equatable, Sendable {
  /// Samples at a rate in Hz, read before they are older than `within`.
  case samples(rate: Double, within: Duration)
  /// A word when something moves by more than a threshold in g; then ``MotionClassifier/rest(until:)`` tells the
  /// classifier that nothing did.
  case watch(threshold: Double)

  /// Steps and their harmonics, and a departure that is seen within seconds.
  static let attentive = SamplingNeed.samples(rate: 25, within: .seconds(2))
  /// A ride that is certain needs no rhythm.
  static let cruising = SamplingNeed.samples(rate: 12.5, within: .seconds(2))
  static let resting = SamplingNeed.watch(threshold: 0.064)

  /// Seconds of calm after which watching is enough.
  static let calm = 60
}
