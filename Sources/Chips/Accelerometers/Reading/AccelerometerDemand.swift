import Quantities

/// What is wanted of an accelerometer.
public enum AccelerometerDemand: Hashable, Sendable {
  /// It is powered down.
  case nothing
  /// Samples, none older than `within` when they are read.
  ///
  /// They are read by deadline and not by the interrupt line: a deadline joins a wake-up that happens anyway, a line
  /// cannot wait for one.
  case samples(SamplingWish, within: Duration)
  /// A word when something moves.
  case motion(MotionWatch)
}
