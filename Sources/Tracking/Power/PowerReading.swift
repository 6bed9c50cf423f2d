import Quantities

/// How a battery or the supply of a vehicle stands; what is not known is nil.
public struct PowerReading: Equatable, Sendable {
  public var state: BatteryState
  /// State of charge, 0...100.
  public var percent: Double?
  /// V over all cells, or of the supply.
  public var voltage: Double?
  /// °C of the cells; that of a gauge's own die says nothing of them.
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
