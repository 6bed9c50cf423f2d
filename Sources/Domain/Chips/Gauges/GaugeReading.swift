/// A gauge reading before validation. Unknown values are nil, never zero.
public struct GaugeReading: Hashable, Sendable {
  /// State of charge in percent; some chips exceed 100.
  public var stateOfCharge: Double?
  /// V of all cells in series, or of the supply.
  public var voltage: Double?
  /// Number of cells in series for ``voltage``; nil for a chip for any number.
  public var cells: Int?
  /// Current in mA, positive into the battery; only if the chip measures it.
  public var current: Double?
  /// Percent per hour, positive while charging; the chip's own estimate.
  public var rate: Double?
  /// °C; ``temperatureSource`` names the sensor.
  public var temperature: Double?
  public var temperatureSource: TemperatureSource?
  /// True if the chip reports that the battery is charging; nil if that must be derived from current or rate.
  public var isCharging: Bool?
  /// True if the gauge reports a state other than charging, possibly an unknown one: other values do not prove that the
  /// battery is charging.
  public var deniesCharging = false
  /// True if the chip reports a full battery; nil if it has no such indication.
  public var isFull: Bool?
  /// True if the chip detects an external supply; nil if it has no such indication.
  public var isPlugged: Bool?
  /// True if the chip lost its supply since the last reading, and with it what it had learned.
  public var wasReset = false

  /// The sensor of a temperature.
  public enum TemperatureSource: Hashable, Sendable { case battery, die }

  public init() {}
}
