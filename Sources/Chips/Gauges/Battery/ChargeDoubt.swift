/// What is held against a charge.
public enum ChargeDoubt: Hashable, Sendable {
  /// The gauge tells none.
  case notTold
  /// It is no percentage at all.
  case outOfRange
  /// The cell's voltage cannot go with it.
  case contradictsVoltage
  /// It changed faster than a battery can; the last one stands until more readings confirm it.
  case jumped
  /// It jumps time and again.
  case unsteady
  /// No reading came for too long.
  case silent
}
