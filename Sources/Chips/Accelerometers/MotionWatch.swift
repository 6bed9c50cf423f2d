/// When movement is worth a wake-up.
public struct MotionWatch: Hashable, Sendable {
  /// g, gravity removed by the part's high-pass filter; rounded to the part's steps, at least one.
  public var threshold: Double
  /// For how long it must be exceeded, in seconds; rounded to the part's steps, at least one sample. A part that
  /// cannot wait takes the first sample.
  public var duration: Double

  public init(threshold: Double = 0.064, duration: Double = 0) {
    self.threshold = threshold
    self.duration = duration
  }
}

extension MotionWatch {
  /// The threshold in steps of a register.
  func steps(of step: Double, atMost most: UInt8) -> UInt8 { (1...most).nearest(to: threshold / step) }

  /// The duration in samples, less one where the register counts from zero.
  func samples(at rate: Double, in allowed: ClosedRange<UInt8>) -> UInt8 {
    allowed.nearest(to: duration * rate)
  }
}
