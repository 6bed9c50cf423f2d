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
  private var sampling: LISSampling?
  private var selfTest: SelfTestRun?

  public init(bus: any I2CBus, address: I2CAddress) {
    registers = ChipRegisters(bus: bus, address: address)
  }

  /// `WHO_AM_I` is 0x33.
  public func identify() throws(ChipError) {
    try registers.expect(LISRegister.whoAmI, isOneOf: [0x33])
  }

  /// Does nothing: only chips with the value of the data sheet are accepted.
  public func confirmIdentity() throws(ChipError) {}

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

// MARK: Motion and self-test

extension LISAccelerometer {
  /// `Zen`, `Yen`, `Xen` of `CTRL_REG1`.
  static var allAxes: UInt8 { 0x07 }

  /// `INT1_CFG`: any axis above the threshold.
  private static var anyAxisAbove: UInt8 { 0x2A }

  /// Powers down and writes `CTRL_REG2` to `CTRL_REG6`, in that order, in one burst; no motion interrupt.
  func configure(
    filter: UInt8 = 0, interrupt1: UInt8, range: RegisterChoice, selfTest: UInt8 = 0, control5: UInt8
  ) throws(ChipError) {
    let control4 = 0x80 | range.code << 4 | selfTest
    try registers.write(LISRegister.ctrlReg1, 0)
    try registers.write(LISRegister.int1Cfg, 0)
    try registers.write(
      LISRegister.ctrlReg2 | LISRegister.autoIncrement, filter, interrupt1, control4, control5, 0)
    let got: UInt8 = try registers.read(LISRegister.ctrlReg4)
    guard got == control4 else {
      throw .settingLost(
        registers.address, register: LISRegister.ctrlReg4, expected: UInt16(control4), got: UInt16(got))
    }
  }

  /// Interrupt generator 1 at 10 Hz and ±2 g. `HPIS1` enables the high-pass filter (0.2 Hz, application note
  /// AN3308, "High-pass filter") for it, and `LIR_INT1` latches the line until `INT1_SRC` is read. Steps are
  /// 16 mg and 0.1 s.
  public mutating func watchForMotion(_ request: MotionWatch) throws(ChipError) {
    (sampling, selfTest) = (nil, nil)
    try configure(filter: 0x01, interrupt1: 0x40, range: LISSampling.ranges[0], control5: 0x08)
    try registers.write(LISRegister.fifoCtrlReg, 0)
    try registers.write(
      LISRegister.int1Ths | LISRegister.autoIncrement, request.steps(of: 0.016, atMost: 127),
      request.samples(at: 10, in: 0...127))
    try registers.set(LISRegister.ctrlReg1, to: 2 << 4 | Self.allAxes)
    // Reading REFERENCE sets the filter to the present acceleration; otherwise it takes seconds to remove
    // gravity.
    let _: UInt8 = try registers.read(LISRegister.reference)
    try registers.set(LISRegister.int1Cfg, to: Self.anyAxisAbove)
    let _: UInt8 = try registers.read(LISRegister.int1Src)
  }

  public func checkStillWatching() throws(ChipError) {
    try registers.expect(LISRegister.int1Cfg, toHold: Self.anyAxisAbove)
  }

  /// `IA` is bit 6 of `INT1_SRC`.
  public mutating func motionSeen() throws(ChipError) -> Bool {
    let source: UInt8 = try registers.read(LISRegister.int1Src)
    return source & 0x40 != 0
  }

  /// 50 Hz and ±2 g: `ST[1:0]` of `CTRL_REG4` applies a positive force, and each axis must change by 17 to
  /// 360 steps of 4 mg (data sheet, table 4; the procedure is that of ST's driver).
  public mutating func selfTestStep() throws(ChipError) -> SelfTestStep {
    guard var run = selfTest else {
      sampling = nil
      try configure(interrupt1: 0, range: LISSampling.ranges[0], control5: 0)
      try registers.set(LISRegister.ctrlReg1, to: 4 << 4 | Self.allAxes)
      selfTest = SelfTestRun()
      return .wait(.milliseconds(90))
    }
    selfTest = nil
    let bytes = try registers.read(LISRegister.outXL | LISRegister.autoIncrement, 6)
    switch run.take(Acceleration(littleEndian: bytes, at: 0, scale: 62.5e-6)) {
    case .oneMore:
      selfTest = run
      return .wait(.milliseconds(25))
    case .applyForce:
      try registers.set(LISRegister.ctrlReg4, to: 0x82)
      selfTest = run
      return .wait(.milliseconds(90))
    case .finished(let change):
      try registers.write(LISRegister.ctrlReg4, 0x80)
      try powerDown()
      return SelfTestLimits.magnitude(0.068...1.44)(change).evaluate(change)
    }
  }
}

// MARK: Stillness

extension LISAccelerometer {
  /// Interrupt generator 1 as for motion, but with `INT1_CFG` 0x95: bit 7 `AOI` combines `ZLIE`, `YLIE` and
  /// `XLIE`, so each axis must be below the threshold (data sheet, "INT1_CFG"). `INT1_DURATION` counts up to
  /// 127 samples: 12.7 s at 10 Hz. Longer durations, up to 127 s, use 1 Hz with the filter at 0.02 Hz, which
  /// takes half a minute more to remove gravity after a change of orientation.
  public mutating func watchForStillness(_ request: StillnessWatch) throws(ChipError) -> StillnessWatch {
    (sampling, selfTest) = (nil, nil)
    let rate = LISSampling.rates[request.duration > 12.7 ? 0 : 1]
    let threshold = (1...127).nearest(to: request.threshold / 0.016)
    let duration = (1...127).next(upwardsFrom: request.duration * rate.value)
    try configure(filter: 0x01, interrupt1: 0x40, range: LISSampling.ranges[0], control5: 0x08)
    try registers.write(LISRegister.fifoCtrlReg, 0)
    try registers.write(LISRegister.int1Ths | LISRegister.autoIncrement, threshold, duration)
    try registers.set(LISRegister.ctrlReg1, to: rate.code << 4 | Self.allAxes)
    // As for motion: reading REFERENCE sets the filter to the present acceleration.
    let _: UInt8 = try registers.read(LISRegister.reference)
    try registers.set(LISRegister.int1Cfg, to: 0x95)
    let _: UInt8 = try registers.read(LISRegister.int1Src)
    return StillnessWatch(
      threshold: Double(threshold) * 0.016, duration: Double(duration) / rate.value)
  }

  /// `IA` is bit 6 of `INT1_SRC`.
  public mutating func stillnessSeen() throws(ChipError) -> Bool {
    let source: UInt8 = try registers.read(LISRegister.int1Src)
    return source & 0x40 != 0
  }
}
