/// Maxim MAX17048 single-cell fuel gauge.
///
/// The chip models the battery by itself. It reports no current, but the rate of charge. The LSB of VCELL is
/// 78.125 µV.
public struct MAX17048: Gauge {
  public static let name = "max17048"
  public static let addresses = MAX17048Registers.addresses
  public static let witness: String? =
    "an independent register model of the MAX17048, Linux max17040_battery, Adafruit CircuitPython MAX1704x"
  public static let cells: Int? = 1

  private var part: MAX17048Registers

  public init(bus: any I2CBus, address: I2CAddress, wiring: GaugeWiring) {
    part = MAX17048Registers(bus: bus, address: address, cells: 1)
  }

  /// Checks the identity. Only reads. MAX17048 and MAX17049 cannot be distinguished.
  public func identify() throws(ChipError) { try part.identify() }

  /// Wakes the chip if it is in sleep mode.
  public mutating func start() throws(ChipError) -> Duration { try part.start() }

  public mutating func read() throws(ChipError) -> GaugeStep { .reading(try part.read()) }
}
