/// Threshold and duration of the inactivity interrupt.
public struct StillnessWatch: Hashable, Sendable {
  /// Maximum acceleration on any axis in g, without gravity; rounded to the chip's steps, at least one.
  public var threshold: Double
  /// Time in seconds; rounded up to the chip's steps, and down only if it exceeds the chip's longest
  /// duration.
  public var duration: Double

  public init(threshold: Double = 0.064, duration: Double = 60) {
    self.threshold = threshold
    self.duration = duration
  }
}
