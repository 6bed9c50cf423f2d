/// An accelerometer of ST's LIS family: ±2 to ±16 g, a FIFO of 32 samples, one interrupt line.
///
/// It samples in normal mode with ten bits per axis, because some FIFOs of the family store no more.
/// Registers and bits are those of the LIS3DH data sheet (DocID17530), section 8.
public struct LISAccelerometer<Part: LISPart>: Accelerometer {
  public static var name: String { Part.name }
  /// Pin SDO/SA0 low or high (data sheet, "I2C operation").
  public static var addresses: [I2CAddress] { [0x18, 0x19].compactMap(I2CAddress.init) }
  public static var witness: String? { Part.witness }

  let registers: ChipRegisters
  var sampling: LISSampling?
  var selfTest: SelfTestRun?

  public init(bus: any I2CBus, address: I2CAddress) {
    registers = ChipRegisters(bus: bus, address: address)
  }

  /// `WHO_AM_I` is 0x33.
  public func identify() throws(ChipError) {
    try registers.expect(LISRegister.whoAmI, isOneOf: [0x33])
  }

  /// Bit 2 of `CTRL_REG3` is `I1_WTM`; bit 7 of `CTRL_REG4` is `BDU`, bits 5 and 4 the range; bit 6 of
  /// `CTRL_REG5` is `FIFO_EN` (their descriptions in section 8). Bypass mode empties the FIFO before stream
  /// mode (section 5.1).
  public mutating func start(_ request: SamplingRequest) throws(ChipError) -> Sampling {
    (sampling, selfTest) = (nil, nil)
    let rate = try LISSampling.rates.next(
      upwardsFrom: request.rate, "Hz sampling rate", of: registers.address)
    let range = try LISSampling.ranges.next(upwardsFrom: request.range, "g range", of: registers.address)
    let watermark = request.watermark.map { min(max($0, 1), LISSampling.depth - 1) }
    let new = LISSampling(range: range, watermark: watermark)
    try registers.expectReads(of: LISSampling.sampleLength)

    try configure(interrupt1: watermark == nil ? 0 : 0x04, range: range, control5: 0x40)
    try registers.write(LISRegister.tempCfgReg, 0xC0)
    try registers.write(LISRegister.fifoCtrlReg, 0)
    try registers.set(LISRegister.fifoCtrlReg, to: new.fifoControl)
    try registers.set(LISRegister.ctrlReg1, to: rate.code << 4 | Self.allAxes)
    sampling = new
    return Sampling(
      rate: rate.value, range: range.value, resolution: Double(new.scale) * 64, capacity: LISSampling.depth,
      watermark: watermark)
  }

  /// Reads the fill level and then all samples in one burst: with the FIFO on, the register address wraps
  /// from `OUT_Z_H` to `OUT_X_L`. An adapter with short reads uses several bursts, each of whole samples. In
  /// stream mode an overrun replaces the oldest samples and requires no restart (section 5.1.3).
  public mutating func drain() throws(ChipError) -> FIFOReading {
    guard var current = sampling else {
      throw .cannot(registers.address, "a reading before the start of sampling")
    }
    if current.isBroken {
      try registers.write(LISRegister.fifoCtrlReg, 0)
      try registers.set(LISRegister.fifoCtrlReg, to: current.fifoControl)
      current.isBroken = false
      sampling = current
      return FIFOReading(samples: [], isOverrun: true)
    }
    let state = try registers.read(LISRegister.fifoCtrlReg | LISRegister.autoIncrement, 2)
    guard state[0] == current.fifoControl else {
      throw .settingLost(
        registers.address, register: LISRegister.fifoCtrlReg, expected: UInt16(current.fifoControl),
        got: UInt16(state[0]))
    }
    let level = LISSampling.Level(source: state[1])
    guard level.count > 0 else { return FIFOReading(samples: [], isOverrun: level.isOverrun) }
    sampling?.isBroken = true
    let bytes = try registers.read(
      LISRegister.outXL | LISRegister.autoIncrement, records: level.count, of: LISSampling.sampleLength,
      burst: LISSampling.depth)
    sampling?.isBroken = false
    let samples = (0..<level.count).map {
      Acceleration(littleEndian: bytes, at: LISSampling.sampleLength * $0, scale: current.scale)
    }
    return FIFOReading(samples: samples, isOverrun: level.isOverrun)
  }

  /// `OUT_ADC3` holds the temperature, left-justified like the acceleration: 1 °C per step of its upper byte,
  /// 0 at 25 °C (data sheet, table 5; the zero point as in ST's driver). It shows changes only: the sensor is
  /// not calibrated.
  public mutating func dieTemperature() throws(ChipError) -> Double? {
    guard sampling != nil else { return nil }
    let raw = try registers.readLittleEndian(LISRegister.outADC3L | LISRegister.autoIncrement)
    return 25 + Double(Int16(bitPattern: raw)) / 256
  }

  public mutating func powerDown() throws(ChipError) {
    (sampling, selfTest) = (nil, nil)
    try registers.write(LISRegister.ctrlReg1, 0)
  }
}
