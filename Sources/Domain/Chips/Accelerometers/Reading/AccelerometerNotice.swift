import Quantities

/// Data from an accelerometer, or a change of its state.
public enum AccelerometerNotice: Equatable, Sendable {
  case burst(AccelerationBurst)
  /// The chip detected motion during wake-on-motion.
  case moved
  /// Sampling has started.
  case sampling(Sampling)
  /// Samples were lost because they were read too late; reported at most once an hour. `missing` is the
  /// estimated number since the last report.
  case overrun(missing: Int)
  /// Samples were discarded because their values are impossible; reported at most once an hour, with the
  /// number since the last report.
  case doubtful(samples: Int)
  /// The interrupt line is no longer used; the chip is polled.
  case lineUnusable(LineFault)
  /// The response to the test force is outside its limits. The accelerometer is used nevertheless.
  case selfTestFailed(change: Acceleration, limits: SelfTestLimits)
  /// The chip does not answer, or another chip does. Probing continues.
  case lost(ChipError)
  case returned(after: Duration)
}

extension AccelerometerNotice {
  /// The reason why an interrupt line is no longer used.
  public enum LineFault: Hashable, Sendable {
    /// The chip detected motion but the line was not raised: not wired, or wired to another pin.
    case silent
    /// The line was raised repeatedly without motion: nothing drives it.
    case noisy
    /// The GPIO chip of the line no longer answers.
    case gone
  }
}
