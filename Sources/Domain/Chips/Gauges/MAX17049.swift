/// Maxim MAX17049 two-cell fuel gauge.
///
/// The chip models the battery by itself. It reports no current, but the rate of charge. The LSB of VCELL is
/// 156.25 µV.
public struct MAX17049: Gauge {
  public static let name = "max17049"
  public static let addresses = MAX17048Registers.addresses
  public static let witness: String? =
    "Linux max17040_battery (steps), Adafruit CircuitPython MAX1704x (registers)"
  public static let cells: Int? = 2

  private var part: MAX17048Registers

  public init(bus: any I2CBus, address: I2CAddress, wiring: GaugeWiring) {
    part = MAX17048Registers(bus: bus, address: address, cells: 2)
  }

  /// Checks the identity. Only reads. MAX17048 and MAX17049 cannot be distinguished.
  public func identify() throws(ChipError) { try part.identify() }

  /// Wakes the chip if it is in sleep mode.
  public mutating func start() throws(ChipError) -> Duration { try part.start() }

  public mutating func read() throws(ChipError) -> GaugeStep { .reading(try part.read()) }
}
