import Quantities

/// How a battery or a supply stands, judged. What is not known is nil, never zero.
public struct BatteryCondition: Hashable, Sendable {
  public var state: BatteryState = .unknown
  /// 0...100.
  public var percent: Double?
  /// Why ``percent`` is nil, or older than the reading.
  public var doubt: ChargeDoubt? = .notTold
  /// V over all cells, or of the supply.
  public var voltage: Double?
  public var current: BatteryCurrent?
  /// Percent an hour, positive while charging; the gauge's own estimate.
  public var rate: Double?
  /// °C, and whose.
  public var temperature: Double?
  public var temperatureSource: GaugeReading.TemperatureSource?

  public init() {}
}
