/// Texas Instruments INA260 power monitor with an internal shunt of 2 mΩ.
///
/// Names, addresses and steps are those of data sheet SBOS656, section "Register Maps". The chip measures on
/// request only and is otherwise powered down; its alert settings are unchanged.
public struct INA260: Gauge {
  public static let name = "ina260"
  public static let addresses = TIPowerMonitor.addresses
  public static let witness: String? = "Adafruit INA260 library: registers, identity, steps"
  public static let cells: Int? = nil

  /// 1.25 mA per LSB, signed.
  private static let current: UInt8 = 0x01

  private var monitor: TIPowerMonitor
  private let wiring: GaugeWiring

  public init(bus: any I2CBus, address: I2CAddress, wiring: GaugeWiring) {
    monitor = TIPowerMonitor(bus: bus, address: address, fixedBits: 0b110 << 12, die: 0x2270, compatible: nil)
    self.wiring = wiring
  }

  /// Checks the identity. Only reads.
  public func identify() throws(ChipError) { try monitor.identify() }

  /// Powers the chip down.
  public mutating func start() throws(ChipError) -> Duration { try monitor.start() }

  public mutating func read() throws(ChipError) -> GaugeStep {
    let wiring = wiring
    return try monitor.read(with: Self.current) { bus, current in
      var reading = GaugeReading()
      reading.voltage = Double(bus & 0x7FFF) * 1.25e-3
      // At the end of the range the true current may be larger.
      if current != .max, current > -.max {
        reading.current = wiring.current(milliamperes: Double(current) * 1.25)
      }
      return reading
    }
  }
}
