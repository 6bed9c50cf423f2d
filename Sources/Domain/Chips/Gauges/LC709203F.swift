/// onsemi LC709203F single-cell fuel gauge without current measurement.
///
/// Names, addresses and units are those of the data sheet LC709203F/D, its table of command codes. A word is
/// two bytes, the less significant first, and a CRC-8 over everything from the address on (section
/// "Communication Protocol"). A word with a wrong CRC is invalid in both directions.
public struct LC709203F: Gauge {
  public static let name = "lc709203f"
  public static let addresses = [0x0B].compactMap(I2CAddress.init)
  public static let witness: String? =
    "an independent register model of the LC709203F, the CRC examples of data sheet LC709203F/D, Adafruit LC709203F library"
  public static let cells: Int? = 1

  private enum Register {
    /// 0.1 K, measured or written by a host, depending on `statusBit`.
    static let cellTemperature: UInt8 = 0x08
    /// Cell voltage in mV.
    static let cellVoltage: UInt8 = 0x09
    /// Adjustment Pack Application: compensates capacity and line resistance.
    static let apa: UInt8 = 0x0B
    /// Indicator to empty, 0.1 %.
    static let ite: UInt8 = 0x0F
    static let icVersion: UInt8 = 0x11
    static let icPowerMode: UInt8 = 0x15
    /// 1 while the chip measures a thermistor.
    static let statusBit: UInt8 = 0x16
  }

  private static let operational: UInt16 = 1
  private static let asleep: UInt16 = 2
  /// Time of the first measurement after sleep. It takes twice as long as later ones, because the chip updates its
  /// values about once a second.
  private static let firstMeasurement = Duration.seconds(2)

  private let registers: ChipRegisters
  private let capacity: Double?
  /// True if the chip was found in sleep mode, which it enters only after a loss of supply.
  private var wasReset = false
  /// True if a fault interrupted the configuration.
  private var isHalfSetUp = false

  public init(bus: any I2CBus, address: I2CAddress, wiring: GaugeWiring) {
    registers = ChipRegisters(bus: bus, address: address)
    capacity = wiring.capacity
  }

  /// Checks the identity. Only reads. A smart battery, which has the same address, sends no CRC by default, and has a
  /// voltage of several thousand mV at the address of this chip's power mode.
  public func identify() throws(ChipError) {
    let version = try word(Register.icVersion)
    guard version != 0x0000, version != 0xFFFF else {
      throw .wrongIdentity(registers.address, register: Register.icVersion, expected: [0x2717], got: version)
    }
    let mode = try word(Register.icPowerMode)
    guard mode == Self.operational || mode == Self.asleep else {
      throw .wrongIdentity(
        registers.address, register: Register.icPowerMode, expected: [Self.operational, Self.asleep],
        got: mode)
    }
  }

  /// Wakes the chip and sets the battery capacity if the board file has one.
  public mutating func start() throws(ChipError) -> Duration {
    let wasAwake = try word(Register.icPowerMode) == Self.operational
    if !wasAwake {
      (wasReset, isHalfSetUp) = (true, true)
      try set(Register.icPowerMode, to: Self.operational)
    }
    if let capacity, let apa = Self.adjustment(forCapacity: capacity), try word(Register.apa) != apa {
      try set(Register.apa, to: apa)
    }
    isHalfSetUp = false
    return wasAwake ? .zero : Self.firstMeasurement
  }

  /// Performs four or five transactions; after a loss of supply, configures the chip again and returns a
  /// delay.
  public mutating func read() throws(ChipError) -> GaugeStep {
    if isHalfSetUp { return .wait(try start()) }
    guard try word(Register.icPowerMode) == Self.operational else { return .wait(try start()) }
    var reading = GaugeReading()
    reading.voltage = Double(try word(Register.cellVoltage)) / 1000
    reading.cells = Self.cells
    reading.stateOfCharge = Double(try word(Register.ite)) / 10
    if try word(Register.statusBit) & 1 != 0 {
      reading.temperature = Double(try word(Register.cellTemperature)) / 10 - 273.15
      reading.temperatureSource = .battery
    }
    reading.wasReset = wasReset
    wasReset = false
    return .reading(reading)
  }

  /// The APA for a capacity in mAh: the data sheet's typical value for 3.7 V cells, interpolated linearly
  /// between the rows of its table; nil outside the table.
  static func adjustment(forCapacity capacity: Double) -> UInt16? {
    let rows: [(capacity: Double, apa: Double)] = [
      (100, 0x08), (200, 0x0B), (500, 0x10), (1000, 0x19), (2000, 0x2D), (3000, 0x36),
    ]
    for (low, high) in zip(rows, rows.dropFirst()) where (low.capacity...high.capacity).contains(capacity) {
      let share = (capacity - low.capacity) / (high.capacity - low.capacity)
      return UInt16(exactly: (low.apa + share * (high.apa - low.apa)).rounded())
    }
    return nil
  }

  private func word(_ register: UInt8) throws(ChipError) -> UInt16 {
    let bytes = try registers.read(register, 3)
    let write = registers.address.rawValue << 1
    let expected = PacketErrorCode.of([write, register, write | 1, bytes[0], bytes[1]])
    guard bytes[2] == expected else {
      throw .wrongChecksum(registers.address, register: register, expected: expected, got: bytes[2])
    }
    return UInt16(bytes[1]) << 8 | UInt16(bytes[0])
  }

  private func set(_ register: UInt8, to value: UInt16) throws(ChipError) {
    let (low, high) = (UInt8(truncatingIfNeeded: value), UInt8(value >> 8))
    let code = PacketErrorCode.of([registers.address.rawValue << 1, register, low, high])
    try registers.write(register, low, high, code)
    let got = try word(register)
    guard got == value else {
      throw .settingLost(registers.address, register: register, expected: value, got: got)
    }
  }
}
