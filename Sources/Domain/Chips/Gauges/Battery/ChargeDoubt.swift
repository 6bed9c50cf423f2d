/// The reason why a charge value is not trusted.
public enum ChargeDoubt: Hashable, Sendable {
  /// The gauge reports no charge.
  case notReported
  /// The value is not a percentage.
  case outOfRange
  /// The cell voltage contradicts the value.
  case contradictsVoltage
  /// The value changed faster than a battery can; the previous one is kept until more readings confirm the
  /// new one.
  case jumped
  /// The value jumps repeatedly.
  case unsteady
  /// No reading for too long.
  case silent
}
