/// The battery of a PiSugar 3. Only reads.
///
/// The current of the output is not read: it is not that of the battery while a charger is connected.
public struct PiSugar3Gauge: Gauge {
  public static let name = PiSugar3.name
  public static let addresses = PiSugar3.addresses
  public static let witness: String? =
    "pisugar3.rs and pisugar_3_battery.c of PiSugar/pisugar-power-manager-rs"
  public static let cells: Int? = 1

  private enum Register {
    /// Bit 7: an external supply is connected; bit 6: charging is allowed.
    static let control: UInt8 = 0x02
    /// °C + 40.
    static let temperature: UInt8 = 0x04
    /// mV, the more significant byte first.
    static let voltage: UInt8 = 0x22
    /// Percent.
    static let charge: UInt8 = 0x2A
  }

  private let registers: PiSugarRegisters

  public init(bus: any I2CBus, address: I2CAddress, wiring: GaugeWiring) {
    registers = PiSugarRegisters(bus: bus, address: address)
  }

  public func identify() throws(ChipError) {
    try registers.identify()
    _ = try registers.readFirmware()
  }

  public func start() throws(ChipError) -> Duration { .zero }

  public func read() throws(ChipError) -> GaugeStep {
    var reading = GaugeReading()
    let control = try registers.read(Register.control)
    let charge = try registers.read(Register.charge)
    guard charge <= 100 else { throw .cannot(registers.address, "a charge of \(charge) %") }
    reading.voltage = Double(try readVoltage()) / 1000
    reading.cells = Self.cells
    reading.stateOfCharge = Double(charge)
    reading.temperature = Double(try registers.read(Register.temperature)) - 40
    reading.temperatureSource = .die
    reading.isPlugged = control & 1 << 7 != 0
    reading.isCharging = control >> 6 == 3
    return .reading(reading)
  }

  /// The two bytes are read one by one: the first is read again, in case it changed.
  private func readVoltage() throws(ChipError) -> UInt16 {
    for _ in 0..<3 {
      let high = try registers.read(Register.voltage)
      let low = try registers.read(Register.voltage + 1)
      if try registers.read(Register.voltage) == high { return UInt16(high) << 8 | UInt16(low) }
    }
    throw .cannot(registers.address, "a steady voltage")
  }
}
