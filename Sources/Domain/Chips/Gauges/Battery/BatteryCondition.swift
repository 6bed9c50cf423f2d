import Quantities

/// State of a battery or supply, derived from validated readings. Unknown values are nil, never zero.
public struct BatteryCondition: Hashable, Sendable {
  public var state: BatteryState = .unknown
  /// True on external supply, whatever it does to the battery; nil if unknown.
  public var isPlugged: Bool?
  /// 0...100.
  public var percent: Double?
  /// The reason why ``percent`` is nil or older than the last reading.
  public var doubt: ChargeDoubt? = .notReported
  /// V of all cells in series, or of the supply.
  public var voltage: Double?
  public var current: BatteryCurrent?
  /// Percent per hour, positive while charging; the gauge's own estimate.
  public var rate: Double?
  /// °C; ``temperatureSource`` names the sensor.
  public var temperature: Double?
  public var temperatureSource: GaugeReading.TemperatureSource?

  public init() {}
}
