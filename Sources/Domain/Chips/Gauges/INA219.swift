/// Texas Instruments INA219 power monitor.
///
/// Names, addresses and bits are those of data sheet SBOS448G, section "Register Maps". A register is two
/// bytes, the more significant first. The chip measures on request only and is otherwise powered down.
/// Current is computed from the shunt's voltage and resistance. The calibration register and the values
/// derived from it, including the overflow bit OVF, are not used.
public struct INA219: Gauge {
  public static let name = "ina219"
  public static let addresses = (0x40...0x4F).compactMap(I2CAddress.init)
  public static let witness: String? =
    "an independent register model of the INA219, Linux ina2xx and ina2xx-adc"
  public static let cells: Int? = nil

  private enum Register {
    static let configuration: UInt8 = 0x00
    /// 10 µV per LSB, signed.
    static let shuntVoltage: UInt8 = 0x01
    /// 4 mV per LSB from bit 3 on; CNVR is bit 1, OVF bit 0.
    static let busVoltage: UInt8 = 0x02
    static let calibration: UInt8 = 0x05
    /// The manufacturer ID register of the chip's successors; absent from this chip.
    static let manufacturerID: UInt8 = 0xFE
  }

  /// BUS VOLTAGE: the requested measurement is complete.
  private static let conversionReady: UInt16 = 0x0002
  /// CONFIGURATION: 32 V; both converters average 32 samples (17.02 ms each, table 5).
  private static let settings: UInt16 = 1 << 13 | 0b1101 << 7 | 0b1101 << 3
  /// CONFIGURATION, MODE (table 6): shunt and bus, triggered. Zero is power-down.
  private static let triggered: UInt16 = 0b011

  private let registers: ChipRegisters
  private let wiring: GaugeWiring
  /// PG (table 4): 0 for ±40 mV, doubled by each step.
  private let gain: UInt16
  private var shot = SingleShot(pause: .milliseconds(40))

  public init(bus: any I2CBus, address: I2CAddress, wiring: GaugeWiring) {
    registers = ChipRegisters(bus: bus, address: address)
    self.wiring = wiring
    let largest = wiring.shunt.flatMap { shunt in wiring.largestCurrent.map { abs($0 * shunt) } } ?? .infinity
    gain = [0, 1, 2].first { largest < 0.040 * Double(1 << $0) } ?? 3
  }

  private var idle: UInt16 { Self.settings | gain << 11 }

  /// Checks bits that are always zero, and that the chip is not one of its successors; it has no identity register.
  /// Only reads.
  public func identify() throws(ChipError) {
    for (register, zeros) in [
      (Register.configuration, 0xC000), (Register.busVoltage, 0x0004), (Register.calibration, 0x0001),
    ] as [(UInt8, UInt16)] {
      let word = try registers.readBigEndian(register)
      guard word & zeros == 0 else {
        throw .wrongIdentity(registers.address, register: register, expected: [word & ~zeros], got: word)
      }
    }
    let manufacturer = try registers.readBigEndian(Register.manufacturerID)
    guard manufacturer != TIPowerMonitor.texasInstruments else {
      throw .wrongIdentity(
        registers.address, register: Register.manufacturerID, expected: [0x0000, 0xFFFF], got: manufacturer)
    }
  }

  /// Powers the chip down.
  public mutating func start() throws(ChipError) -> Duration {
    shot = SingleShot(pause: shot.pause)
    try registers.setBigEndian(Register.configuration, to: idle)
    return .zero
  }

  /// Starts a measurement; after the delay, reads it and powers the chip down: four transactions in all.
  public mutating func read() throws(ChipError) -> GaugeStep {
    guard let polls = shot.take() else {
      try registers.writeBigEndian(Register.configuration, idle | Self.triggered)
      return shot.begin()
    }
    let bus = try registers.readBigEndian(Register.busVoltage)
    guard bus & Self.conversionReady != 0 else { return try shot.wait(afterPolls: polls, registers.address) }
    let shunt = Int16(bitPattern: try registers.readBigEndian(Register.shuntVoltage))
    try registers.writeBigEndian(Register.configuration, idle)
    var reading = GaugeReading()
    reading.voltage = Double(bus >> 3) * 4e-3
    // At the end of the range the true current may be larger.
    if Int(shunt).magnitude < 4000 << gain {
      reading.current = wiring.current(shuntVoltage: Double(shunt) * 10e-6)
    }
    return .reading(reading)
  }
}
