/// A reading of the supply by a gauge or a power monitor; unknown values are nil.
public struct SupplyReading: Equatable, Sendable {
  /// Voltage in V.
  public var voltage: Double?
  /// True if a charger supplies the device, or has filled its battery.
  public var isCharging: Bool?

  public init(voltage: Double? = nil, isCharging: Bool? = nil) {
    self.voltage = voltage
    self.isCharging = isCharging
  }
}
