import Quantities

/// The desired operating mode of an accelerometer.
public enum DesiredAccelerometerMode: Hashable, Sendable {
  /// Powered down.
  case nothing
  /// Sampling, with no sample older than `within` when it is read.
  ///
  /// Samples are read by deadline and not by the interrupt line: a deadline can share a wake-up, a line
  /// cannot wait for one.
  case samples(SamplingRequest, within: Duration)
  /// Wake-on-motion.
  case motion(MotionWatch)
}
