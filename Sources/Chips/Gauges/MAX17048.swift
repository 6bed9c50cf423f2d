/// Maxim MAX17048 single-cell gauge.
///
/// The part models the battery by itself and knows no current: it tells how fast the charge changes.
/// VCELL counts in steps of 78.125 µV.
public struct MAX17048: Gauge {
  public static let name = "max17048"
  public static let addresses = MAX17048Registers.addresses
  public static let witness: String? =
    "a register model of the MAX17048 written by others, Linux max17040_battery, Adafruit CircuitPython MAX1704x"
  public static let cells: Int? = 1

  private var part: MAX17048Registers

  public init(bus: any I2CBus, address: I2CAddress, wiring: GaugeWiring) {
    part = MAX17048Registers(bus: bus, address: address, cells: 1)
  }

  /// Reads only. MAX17048 and MAX17049 cannot be told apart.
  public func identify() throws(ChipError) { try part.identify() }

  /// Wakes a part that was put to sleep.
  public mutating func start() throws(ChipError) -> Duration { try part.start() }

  public mutating func read() throws(ChipError) -> GaugeStep { .reading(try part.read()) }
}
