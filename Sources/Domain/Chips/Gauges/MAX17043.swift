/// Maxim MAX17043 single-cell fuel gauge.
///
/// The chip models the battery by itself. It reports neither current nor rate, nor a loss of supply. The LSB
/// of VCELL is 1.25 mV.
public struct MAX17043: Gauge {
  public static let name = "max17043"
  public static let addresses = MAX17043Registers.addresses
  public static let witness: String? =
    "Linux max17040_battery (steps), the MAX17043 data sheet, section \"VCELL Register\""
  public static let cells: Int? = 1

  private let part: MAX17043Registers

  public init(bus: any I2CBus, address: I2CAddress, wiring: GaugeWiring) {
    part = MAX17043Registers(bus: bus, address: address, cells: 1)
  }

  /// Checks the identity. Only reads. MAX17043 and MAX17044 cannot be distinguished.
  public func identify() throws(ChipError) { try part.identify() }

  /// Wakes the chip if it is in sleep mode.
  public mutating func start() throws(ChipError) -> Duration { try part.start() }

  public mutating func read() throws(ChipError) -> GaugeStep { .reading(try part.read()) }
}
