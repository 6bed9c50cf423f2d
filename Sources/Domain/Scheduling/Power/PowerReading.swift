import Quantities

/// A reading of the battery, or of a vehicle's supply; unknown values are nil.
public struct PowerReading: Equatable, Sendable {
  /// The charging state.
  public var state: BatteryState
  /// State of charge in percent, 0...100.
  public var percent: Double?
  /// Voltage in V over all cells, or of the supply.
  public var voltage: Double?
  /// Cell temperature in °C. A gauge's die temperature does not count.
  public var temperature: Double?

  public init(
    _ state: BatteryState, percent: Double? = nil, voltage: Double? = nil, temperature: Double? = nil
  ) {
    self.state = state
    self.percent = percent
    self.voltage = voltage
    self.temperature = temperature
  }
}
