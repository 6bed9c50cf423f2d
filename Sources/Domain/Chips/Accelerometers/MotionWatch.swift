/// Threshold and duration of wake-on-motion.
public struct MotionWatch: Hashable, Sendable {
  /// Threshold in g, after the chip's high-pass filter has removed gravity; rounded to the chip's steps, at least one.
  public var threshold: Double
  /// Time in seconds for which the threshold must be exceeded; rounded to the chip's steps, at least one
  /// sample. A chip without this feature reports at the first sample.
  public var duration: Double

  public init(threshold: Double = 0.064, duration: Double = 0) {
    self.threshold = threshold
    self.duration = duration
  }
}

extension MotionWatch {
  /// The threshold in steps of a register.
  func steps(of step: Double, atMost most: UInt8) -> UInt8 { (1...most).nearest(to: threshold / step) }

  /// The duration in samples, minus one if the register counts from zero.
  func samples(at rate: Double, in allowed: ClosedRange<UInt8>) -> UInt8 {
    allowed.nearest(to: duration * rate)
  }
}
