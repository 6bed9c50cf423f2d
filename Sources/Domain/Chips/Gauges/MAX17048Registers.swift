/// Common registers of MAX17048 and MAX17049, which differ only in the divider before the converter.
///
/// Names, addresses and steps are those of the MAX17048/MAX17049 data sheet (19-6171), table "Register
/// Summary". A register is two bytes, the more significant first.
struct MAX17048Registers {
  private enum Register {
    /// Voltage of a cell, 78.125 µV per LSB.
    static let vcell: UInt8 = 0x02
    /// State of charge, 1/256 % per LSB.
    static let soc: UInt8 = 0x04
    /// Quick-Start, EnSleep, HibStat.
    static let mode: UInt8 = 0x06
    /// `0x001_`.
    static let version: UInt8 = 0x08
    static let config: UInt8 = 0x0C
    /// Charge or discharge rate, 0.208 %/h per LSB, signed.
    static let crate: UInt8 = 0x16
    static let status: UInt8 = 0x1A
  }

  /// MODE: all bits except `EnSleep` and `HibStat` read zero.
  private static let modeSilent: UInt16 = ~0x3000
  /// CONFIG: `SLEEP`, section "CONFIG Register (0x0C)".
  private static let sleep: UInt16 = 0x0080
  /// STATUS: `RI`, section "STATUS Register (0x1A)".
  private static let resetIndicator: UInt16 = 0x0100

  static let addresses = [0x36].compactMap(I2CAddress.init)

  let registers: ChipRegisters
  let cells: Int
  /// RI stays set if it cannot be cleared; only its first appearance counts.
  private var wasReset = false

  init(bus: any I2CBus, address: I2CAddress, cells: Int) {
    registers = ChipRegisters(bus: bus, address: address)
    self.cells = cells
  }

  /// Checks the identity. Only reads. Other Maxim gauges at this address have a temperature at the address of VERSION,
  /// which may match by chance, and a charge at the address of MODE, which does not match.
  func identify() throws(ChipError) {
    let version = try registers.readBigEndian(Register.version)
    guard version & 0xFFF0 == 0x0010 else {
      throw .wrongIdentity(
        registers.address, register: Register.version, expected: [0x0011, 0x0012], got: version)
    }
    let mode = try registers.readBigEndian(Register.mode)
    guard mode & Self.modeSilent == 0 else {
      throw .wrongIdentity(registers.address, register: Register.mode, expected: [0x0000, 0x1000], got: mode)
    }
  }

  /// Wakes the chip if it is in sleep mode; all other settings are unchanged, including alert and
  /// hibernation.
  func start() throws(ChipError) -> Duration {
    let config = try registers.readBigEndian(Register.config)
    let wasAsleep = config & Self.sleep != 0
    if wasAsleep { try registers.writeBigEndian(Register.config, config & ~Self.sleep) }
    let isNew = try registers.readBigEndian(Register.status) & Self.resetIndicator != 0
    // The first estimate takes about a second from power-on (section "SOC Register (0x04)").
    return wasAsleep || isNew ? .seconds(1) : .zero
  }

  /// Performs four transactions, and a fifth to clear the reset indicator if it is set.
  mutating func read() throws(ChipError) -> GaugeReading {
    var reading = GaugeReading()
    reading.voltage = Double(try registers.readBigEndian(Register.vcell)) * 78.125e-6 * Double(cells)
    reading.cells = cells
    reading.stateOfCharge = Double(try registers.readBigEndian(Register.soc)) / 256
    reading.rate = Double(Int16(bitPattern: try registers.readBigEndian(Register.crate))) * 0.208
    let status = try registers.readBigEndian(Register.status)
    let isReset = status & Self.resetIndicator != 0
    reading.wasReset = isReset && !wasReset
    if isReset { try registers.writeBigEndian(Register.status, status & ~Self.resetIndicator) }
    wasReset = isReset
    return reading
  }
}
