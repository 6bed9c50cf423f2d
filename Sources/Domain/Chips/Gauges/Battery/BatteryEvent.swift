/// A change of the battery or gauge that is worth a record in the log.
public enum BatteryEvent: Hashable, Sendable {
  case chargerAttached
  case chargerRemoved
  /// The battery was charged and is full; reported once until it was discharged.
  case full(percent: Double?)
  /// V of all cells in series, or of the supply; reported once until the voltage has changed sides again.
  case supply(SupplyRange.Side, voltage: Double)
  /// Percent and V; reported once until the battery was charged or has recovered.
  case low(percent: Double?, voltage: Double?)
  /// The gauge's percentage and the V of a cell contradict each other; reported once until they agree.
  case gaugeContradictsItself(percent: Double, cellVoltage: Double)
  /// A voltage in V that is impossible for the configured number of cells in series; reported once until it
  /// is possible. There are more cells than configured.
  case voltageDoesNotFit(voltage: Double, cells: Int)
  /// The gauge lost its supply and must learn the battery again.
  case gaugeWasReset
  case gaugeFellSilent
  case gaugeIsBack
}
