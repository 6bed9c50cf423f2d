import Quantities

/// Parameters for the validation of gauge readings.
public struct BatteryRules: Hashable, Sendable {
  /// The supply that the gauge or power monitor measures.
  public enum Supply: Hashable, Sendable {
    /// A battery of cells in series, unless the gauge knows their number. `capacity` is the nominal one in
    /// mAh; nil if unknown.
    case battery(cells: Int = 1, capacity: Double? = nil)
    /// The supply of a vehicle: a power monitor reports only its voltage.
    case vehicle
  }

  /// The permitted range of the supply voltage.
  public var range = SupplyRange(least: nil, most: nil)
  /// Interval between readings.
  public var readingInterval: Duration = .seconds(60)
  /// Number of missed readings after which all values are unknown.
  public var missedReadings = 5
  /// The charge in percent at or below which the battery is low.
  public var low = 15.0
  /// The cell voltage in V at which the battery is low if the charge is unknown.
  public var lowCellVoltage = 3.45
  /// The maximum rate at which such a battery charges or discharges, in percent per hour.
  public var largestRate = 120.0
  /// The largest correction of a gauge from one reading to the next, in percent.
  public var correction = 3.0
  /// Number of consistent readings that confirm a jump.
  public var confirmations = 3
  /// Curve for checking the charge; nil for cells that do not follow it, such as iron phosphate.
  public var openCircuit: OpenCircuitVoltage? = .lithiumIon

  public init() {}
}
