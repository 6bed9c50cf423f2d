/// What a gauge or a power monitor tells of the supply. What is not known is nil.
public struct SupplyReading: Equatable, Sendable {
  /// V.
  public var voltage: Double?
  /// A charger feeds the box, or has filled its battery.
  public var isCharging: Bool?

  public init(voltage: Double? = nil, isCharging: Bool? = nil) {
    self.voltage = voltage
    self.isCharging = isCharging
  }
}
