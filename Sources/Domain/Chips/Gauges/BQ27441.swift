/// Texas Instruments BQ27441-G1 single-cell fuel gauge with current measurement.
///
/// Names and addresses are those of the BQ27441-G1 technical reference (SLUUAC9), table "Standard Commands";
/// the flags are in its table "Flags Bit Definitions". A word is two bytes, the less significant first. The
/// manufacturer of the board configures the battery capacity; this driver configures nothing.
public struct BQ27441: Gauge {
  public static let name = "bq27441"
  public static let addresses = [0x55].compactMap(I2CAddress.init)
  public static let witness: String? =
    "an independent register model of the BQ27441, Linux bq27xxx_battery, SparkFun BQ27441 library"
  public static let cells: Int? = 1

  private enum Command {
    static let control: UInt8 = 0x00
    /// Voltage in mV.
    static let voltage: UInt8 = 0x04
    static let flags: UInt8 = 0x06
    /// Current in mA, signed, negative while discharging.
    static let averageCurrent: UInt8 = 0x10
    /// State of charge in percent.
    static let stateOfCharge: UInt8 = 0x1C
    /// Temperature of the die in 0.1 K.
    static let internalTemperature: UInt8 = 0x1E
  }

  private enum Flag {
    /// Full charge is detected.
    static let fc: UInt16 = 1 << 9
    /// The configuration memory was lost and has its defaults until a host configures it.
    static let itpor: UInt16 = 1 << 5
    /// Discharge is detected.
    static let dsg: UInt16 = 1 << 0
  }

  /// The `Control()` subcommand that returns the device type, and the expected answer.
  private static let deviceType: (subcommand: UInt16, answer: UInt16) = (0x0001, 0x0421)

  private let registers: ChipRegisters
  /// ITPOR stays set until a host configures the chip; only its first appearance counts.
  private var isAtDefaults = false

  public init(bus: any I2CBus, address: I2CAddress, wiring: GaugeWiring) {
    registers = ChipRegisters(bus: bus, address: address)
  }

  /// Reading the type requires a write. Therefore a chip whose values at the addresses of voltage, charge and
  /// temperature are impossible for a battery is rejected before.
  public func identify() throws(ChipError) {
    try expect(Command.voltage, in: 1...6000)
    try expect(Command.stateOfCharge, in: 0...120)
    try expect(Command.internalTemperature, in: 2231...3931)
    try registers.write(
      Command.control, UInt8(truncatingIfNeeded: Self.deviceType.subcommand),
      UInt8(Self.deviceType.subcommand >> 8))
    let type = try registers.readLittleEndian(Command.control)
    guard type == Self.deviceType.answer else {
      throw .wrongIdentity(
        registers.address, register: Command.control, expected: [Self.deviceType.answer], got: type)
    }
  }

  private func expect(_ command: UInt8, in range: ClosedRange<UInt16>) throws(ChipError) {
    let word = try registers.readLittleEndian(command)
    guard range.contains(word) else {
      throw .wrongIdentity(
        registers.address, register: command, expected: [range.lowerBound, range.upperBound], got: word)
    }
  }

  public mutating func start() throws(ChipError) -> Duration {
    isAtDefaults = false
    return .zero
  }

  /// Reads all values in five transactions.
  public mutating func read() throws(ChipError) -> GaugeStep {
    var reading = GaugeReading()
    reading.voltage = Double(try registers.readLittleEndian(Command.voltage)) / 1000
    reading.cells = Self.cells
    let flags = try registers.readLittleEndian(Command.flags)
    reading.current = Double(Int16(bitPattern: try registers.readLittleEndian(Command.averageCurrent)))
    reading.stateOfCharge = Double(try registers.readLittleEndian(Command.stateOfCharge))
    // Temperature() may be a value written by a host; this one is always measured.
    reading.temperature = Double(try registers.readLittleEndian(Command.internalTemperature)) / 10 - 273.15
    reading.temperatureSource = .die
    // CHG means that charging is allowed, not that a charger is present, and DSG follows the current.
    reading.isFull = flags & Flag.fc != 0 && flags & Flag.dsg == 0
    let isAtDefaults = flags & Flag.itpor != 0
    reading.wasReset = isAtDefaults && !self.isAtDefaults
    self.isAtDefaults = isAtDefaults
    return .reading(reading)
  }
}
