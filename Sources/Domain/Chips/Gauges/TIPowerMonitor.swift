/// Common functions of INA226 and INA260: identity, averaging, and measurement on demand.
///
/// Data sheets SBOS547 (INA226) and SBOS656 (INA260), sections "Register Maps". A register is two bytes, the
/// more significant first.
struct TIPowerMonitor {
  /// Register addresses of both chips.
  enum Register {
    static let configuration: UInt8 = 0x00
    static let busVoltage: UInt8 = 0x02
    static let maskEnable: UInt8 = 0x06
    static let manufacturerID: UInt8 = 0xFE
    static let dieID: UInt8 = 0xFF
  }

  /// CONFIGURATION: RST, which clears itself.
  private static let reset: UInt16 = 0x8000
  /// "TI".
  static let texasInstruments: UInt16 = 0x5449
  /// MASK/ENABLE: CVRF, the requested measurement is complete.
  private static let conversionReady: UInt16 = 0x0008
  /// CONFIGURATION: AVG 16 samples, 1.1 ms for each of the two values: 35.2 ms in all.
  private static let averaging: UInt16 = 0b010 << 9 | 0b100 << 6 | 0b100 << 3
  /// CONFIGURATION, MODE: both values, triggered. Zero is power-down.
  private static let triggered: UInt16 = 0b011

  let registers: ChipRegisters
  /// CONFIGURATION: bits 14 to 12, whose value is fixed.
  private let fixedBits: UInt16
  /// DIE ID without the revision in its lowest four bits.
  private let die: UInt16
  /// MANUFACTURER ID of a compatible chip, whose DIE ID is 0; nil if there is none.
  private let compatible: UInt16?
  private var shot = SingleShot(pause: .milliseconds(40))

  static let addresses = (0x40...0x4F).compactMap(I2CAddress.init)

  init(bus: any I2CBus, address: I2CAddress, fixedBits: UInt16, die: UInt16, compatible: UInt16?) {
    registers = ChipRegisters(bus: bus, address: address)
    self.fixedBits = fixedBits
    self.die = die
    self.compatible = compatible
  }

  private var idle: UInt16 { fixedBits | Self.averaging }

  /// Checks the identity. Only reads, in ascending order of registers: for humidity sensors with the same address, the
  /// number of the identity registers alone is the reset command, whereas they do not acknowledge the number of
  /// CONFIGURATION.
  func identify() throws(ChipError) {
    let configuration = try registers.readBigEndian(Register.configuration)
    guard configuration & Self.reset == 0 else {
      throw .wrongIdentity(
        registers.address, register: Register.configuration, expected: [configuration & ~Self.reset],
        got: configuration)
    }
    let manufacturer = try registers.readBigEndian(Register.manufacturerID)
    if let compatible, manufacturer == compatible { return }
    guard manufacturer == Self.texasInstruments else {
      throw .wrongIdentity(
        registers.address, register: Register.manufacturerID, expected: [Self.texasInstruments],
        got: manufacturer)
    }
    let got = try registers.readBigEndian(Register.dieID)
    guard got & 0xFFF0 == die else {
      throw .wrongIdentity(registers.address, register: Register.dieID, expected: [die], got: got)
    }
  }

  mutating func start() throws(ChipError) -> Duration {
    shot = SingleShot(pause: shot.pause)
    try registers.setBigEndian(Register.configuration, to: idle)
    return .zero
  }

  /// Starts a measurement; after the delay, reads it from the bus voltage and the given register, and powers
  /// the chip down: five transactions in all.
  mutating func read(
    with register: UInt8, as reading: (_ bus: UInt16, _ other: Int16) -> GaugeReading
  ) throws(ChipError) -> GaugeStep {
    guard let polls = shot.take() else {
      try registers.writeBigEndian(Register.configuration, idle | Self.triggered)
      return shot.begin()
    }
    guard try registers.readBigEndian(Register.maskEnable) & Self.conversionReady != 0 else {
      return try shot.wait(afterPolls: polls, registers.address)
    }
    let bus = try registers.readBigEndian(Register.busVoltage)
    let other = Int16(bitPattern: try registers.readBigEndian(register))
    try registers.writeBigEndian(Register.configuration, idle)
    return .reading(reading(bus, other))
  }
}

extension GaugeWiring {
  /// The current into the battery in mA, from the voltage of the shunt in V; nil if the resistance is unknown.
  func current(shuntVoltage: Double) -> Double? {
    guard let shunt, shunt > 0 else { return nil }
    return current(milliamperes: shuntVoltage / shunt * 1000)
  }

  /// The current into the battery in mA, from the current from IN+ to IN− in mA.
  func current(milliamperes: Double) -> Double { isReversed ? 0 - milliamperes : milliamperes }
}
