/// Texas Instruments INA219 power monitor.
///
/// Names, addresses and bits are those of data sheet SBOS448G, section "Register Maps". A register is two bytes, the
/// more significant first. The part measures only when it is asked and is powered down between. Current is computed
/// from the shunt's voltage and resistance; the calibration register and what the part computes from it, its overflow
/// bit OVF included, are not used.
public struct INA219: Gauge {
  public static let name = "ina219"
  public static let addresses = (0x40...0x4F).compactMap(I2CAddress.init)
  public static let witness: String? =
    "a register model of the INA219 written by others, Linux ina2xx and ina2xx-adc"
  public static let cells: Int? = nil

  private enum Register {
    static let configuration: UInt8 = 0x00
    /// 10 µV a step, signed.
    static let shuntVoltage: UInt8 = 0x01
    /// 4 mV a step from bit 3 on; CNVR is bit 1, OVF bit 0.
    static let busVoltage: UInt8 = 0x02
    static let calibration: UInt8 = 0x05
    /// Not of this part; its successors have their manufacturer there.
    static let manufacturerID: UInt8 = 0xFE
  }

  /// BUS VOLTAGE: the measurement that was asked for is done.
  private static let conversionReady: UInt16 = 0x0002
  /// CONFIGURATION: 32 V; both converters average 32 samples (17.02 ms each, table 5).
  private static let settings: UInt16 = 1 << 13 | 0b1101 << 7 | 0b1101 << 3
  /// CONFIGURATION, MODE (table 6): shunt and bus, triggered. Zero is power-down.
  private static let triggered: UInt16 = 0b011

  private let registers: ChipRegisters
  private let wiring: GaugeWiring
  /// PG (table 4): 0 for ±40 mV, each step doubles it.
  private let gain: UInt16
  private var shot = SingleShot(pause: .milliseconds(40))

  public init(bus: any I2CBus, address: I2CAddress, wiring: GaugeWiring) {
    registers = ChipRegisters(bus: bus, address: address)
    self.wiring = wiring
    let largest = wiring.shunt.flatMap { shunt in wiring.largestCurrent.map { abs($0 * shunt) } } ?? .infinity
    gain = [0, 1, 2].first { largest < 0.040 * Double(1 << $0) } ?? 3
  }

  private var idle: UInt16 { Self.settings | gain << 11 }

  /// Reads only. The part has no identity; bits that are always zero in it are looked at, and that it is not one of its
  /// successors.
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

  /// Powers the part down.
  public mutating func start() throws(ChipError) -> Duration {
    shot = SingleShot(pause: shot.pause)
    try registers.setBigEndian(Register.configuration, to: idle)
    return .zero
  }

  /// Asks for a measurement; then, after the pause, takes it and powers the part down: four transactions in all.
  public mutating func read() throws(ChipError) -> GaugeStep {
    guard let asked = shot.take() else {
      try registers.writeBigEndian(Register.configuration, idle | Self.triggered)
      return shot.begin()
    }
    let bus = try registers.readBigEndian(Register.busVoltage)
    guard bus & Self.conversionReady != 0 else { return try shot.wait(afterAsking: asked, registers.address) }
    let shunt = Int16(bitPattern: try registers.readBigEndian(Register.shuntVoltage))
    try registers.writeBigEndian(Register.configuration, idle)
    var reading = GaugeReading()
    reading.voltage = Double(bus >> 3) * 4e-3
    // At the end of the range there may be any current beyond it.
    if Int(shunt).magnitude < 4000 << gain {
      reading.current = wiring.current(shuntVoltage: Double(shunt) * 10e-6)
    }
    return .reading(reading)
  }
}
