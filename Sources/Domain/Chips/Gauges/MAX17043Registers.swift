/// Common registers of MAX17043 and MAX17044, which differ only in the divider before the converter.
///
/// Names, addresses and steps are those of the MAX17043/MAX17044 data sheet (19-4811), table 1 "Register
/// Summary" and figures 3 to 6. A register is two bytes, the more significant first.
struct MAX17043Registers {
  private enum Register {
    /// Upper 12 bits, 1.25 mV per LSB (2.5 mV for two cells).
    static let vcell: UInt8 = 0x02
    /// State of charge, 1/256 % per LSB.
    static let soc: UInt8 = 0x04
    static let version: UInt8 = 0x08
    static let config: UInt8 = 0x0C
  }

  /// CONFIG: `SLEEP`, section "SLEEP (Sleep Bit)".
  private static let sleep: UInt16 = 0x0080

  static let addresses = [0x36].compactMap(I2CAddress.init)

  let registers: ChipRegisters
  let cells: Int

  init(bus: any I2CBus, address: I2CAddress, cells: Int) {
    registers = ChipRegisters(bus: bus, address: address)
    self.cells = cells
  }

  /// Checks the identity. Only reads. The data sheet specifies no value of VERSION; chips return a small number, their
  /// successors 0x0010 or more.
  func identify() throws(ChipError) {
    let version = try registers.readBigEndian(Register.version)
    guard (0x0001...0x000F).contains(version) else {
      throw .wrongIdentity(
        registers.address, register: Register.version, expected: [0x0002, 0x0003], got: version)
    }
    let vcell = try registers.readBigEndian(Register.vcell)
    guard vcell & 0x000F == 0 else {
      throw .wrongIdentity(
        registers.address, register: Register.vcell, expected: [vcell & 0xFFF0], got: vcell)
    }
  }

  /// Wakes the chip if it is in sleep mode; the alert settings are unchanged.
  func start() throws(ChipError) -> Duration {
    let config = try registers.readBigEndian(Register.config)
    guard config & Self.sleep != 0 else { return .zero }
    try registers.writeBigEndian(Register.config, config & ~Self.sleep)
    // VCELL is updated half a second after sleep mode (section "VCELL Register").
    return .milliseconds(500)
  }

  /// Performs two transactions.
  func read() throws(ChipError) -> GaugeReading {
    var reading = GaugeReading()
    reading.voltage = Double(try registers.readBigEndian(Register.vcell) >> 4) * 1.25e-3 * Double(cells)
    reading.cells = cells
    reading.stateOfCharge = Double(try registers.readBigEndian(Register.soc)) / 256
    return reading
  }
}
