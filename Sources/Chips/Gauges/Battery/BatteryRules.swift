/// What a battery is judged by.
public struct BatteryRules: Hashable, Sendable {
  /// What the gauge or monitor sits on.
  public enum Supply: Hashable, Sendable {
    /// A battery of cells in series; a gauge that knows better is believed. mAh as built, where known.
    case battery(cells: Int = 1, capacity: Double? = nil)
    /// The supply of a vehicle: a power monitor tells its voltage and nothing else.
    case vehicle
  }

  /// Within which voltage the supply is to be.
  public var range = SupplyRange(least: nil, most: nil)
  /// How often a reading is due.
  public var readingInterval: Duration = .seconds(60)
  /// After so many readings that did not come nothing is known any more.
  public var missedReadings = 5
  /// Percent at which the battery is low.
  public var low = 15.0
  /// V of a cell at which it is low where the charge is not known.
  public var lowCellVoltage = 3.45
  /// Percent an hour, beyond which no battery of this kind charges or discharges.
  public var largestRate = 120.0
  /// Percent that a gauge may correct itself by from one reading to the next.
  public var correction = 3.0
  /// So many readings that agree with each other confirm a jump.
  public var confirmations = 3
  /// What the charge is checked against; nil for cells that it does not fit, such as iron phosphate.
  public var openCircuit: OpenCircuitVoltage? = .lithiumIon

  public init() {}
}
