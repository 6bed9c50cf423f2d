/// What is worth an entry in the log.
public enum BatteryEvent: Hashable, Sendable {
  case chargerAttached
  case chargerRemoved
  /// It was charged and is full; once until it was discharged.
  case full(percent: Double?)
  /// V over all cells, or of the supply; once until it has changed sides again.
  case supply(SupplyRange.Side, voltage: Double)
  /// Percent and V; once until the battery was charged or recovered.
  case low(percent: Double?, voltage: Double?)
  /// Percent as the gauge tells it, and V of a cell; once until they fit again.
  case gaugeContradictsItself(percent: Double, cellVoltage: Double)
  /// V that so many cells in series cannot show; once until they can. There are more cells than was said.
  case voltageDoesNotFit(voltage: Double, cells: Int)
  /// The gauge was without supply and has to learn anew.
  case gaugeWasReset
  case gaugeFellSilent
  case gaugeIsBack
}
