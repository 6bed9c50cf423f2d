/// Texas Instruments INA226 power monitor.
///
/// Names, addresses and steps are those of data sheet SBOS547, section "Register Maps". The chip measures on
/// request only and is otherwise powered down. Current is computed from the shunt's voltage and resistance;
/// the calibration register is not used and the alert settings are unchanged.
public struct INA226: Gauge {
  public static let name = "ina226"
  public static let addresses = TIPowerMonitor.addresses
  public static let witness: String? = "Linux ina2xx and ina2xx-adc; identity: public INA226 libraries"
  public static let cells: Int? = nil

  /// 2.5 µV per LSB, signed.
  private static let shuntVoltage: UInt8 = 0x01

  /// Silergy SQ52201, which is sold as INA226 and has the same registers.
  private static let silergy: UInt16 = 0x190F

  private var monitor: TIPowerMonitor
  private let wiring: GaugeWiring

  public init(bus: any I2CBus, address: I2CAddress, wiring: GaugeWiring) {
    monitor = TIPowerMonitor(
      bus: bus, address: address, fixedBits: 0b100 << 12, die: 0x2260, compatible: Self.silergy)
    self.wiring = wiring
  }

  /// Checks the identity. Only reads.
  public func identify() throws(ChipError) { try monitor.identify() }

  /// Powers the chip down.
  public mutating func start() throws(ChipError) -> Duration { try monitor.start() }

  public mutating func read() throws(ChipError) -> GaugeStep {
    let wiring = wiring
    return try monitor.read(with: Self.shuntVoltage) { bus, shunt in
      var reading = GaugeReading()
      reading.voltage = Double(bus & 0x7FFF) * 1.25e-3
      // At the end of the range the true current may be larger.
      if shunt != .max, shunt > -.max {
        reading.current = wiring.current(shuntVoltage: Double(shunt) * 2.5e-6)
      }
      return reading
    }
  }
}
