/// Progress or result of a reading.
public enum GaugeStep: Hashable, Sendable {
  /// A measurement is in progress; call again after this delay.
  case wait(Duration)
  case reading(GaugeReading)
}
