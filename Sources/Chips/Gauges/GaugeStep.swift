/// Where a reading stands.
public enum GaugeStep: Hashable, Sendable {
  /// It measures; call again after so long.
  case wait(Duration)
  case reading(GaugeReading)
}
