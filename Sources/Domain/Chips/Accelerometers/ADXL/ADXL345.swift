/// Analog Devices ADXL345: ±2 to ±16 g in steps of 3.9 mg, a FIFO of 32 samples, no temperature sensor.
///
/// Registers and bits are those of the data sheet (rev. E), table 19 and the pages after it.
public struct ADXL345: Accelerometer {
  public static let name = "adxl345"
  /// Pin ALT ADDRESS low, as usual on boards, or high (data sheet, "I2C").
  public static let addresses = [0x53, 0x1D].compactMap(I2CAddress.init)
  public static let witness: String? =
    "a register model of the ADXL345; the kernel's adxl345.h and adxl345_core.c; tables 14 and 15 of the data sheet; "
    + "inactivity by the kernel's register bits only"

  /// Register addresses (data sheet, "Register Map").
  enum Register {
    static let devID: UInt8 = 0x00
    static let threshAct: UInt8 = 0x24
    static let threshInact: UInt8 = 0x25
    static let actInactCtl: UInt8 = 0x27
    static let bwRate: UInt8 = 0x2C
    static let powerCtl: UInt8 = 0x2D
    static let intEnable: UInt8 = 0x2E
    static let intMap: UInt8 = 0x2F
    static let intSource: UInt8 = 0x30
    static let dataFormat: UInt8 = 0x31
    static let dataX0: UInt8 = 0x32
    static let fifoCtl: UInt8 = 0x38
  }

  /// `Rate` of `BW_RATE`; each step doubles it (table 7).
  static let rates = [
    RegisterChoice(1.5625, 4), RegisterChoice(3.125, 5), RegisterChoice(6.25, 6), RegisterChoice(12.5, 7),
    RegisterChoice(25, 8), RegisterChoice(50, 9), RegisterChoice(100, 10),
  ]
  /// `Range` of `DATA_FORMAT` (table 21).
  static let ranges = [
    RegisterChoice(2, 0), RegisterChoice(4, 1), RegisterChoice(8, 2), RegisterChoice(16, 3),
  ]
  /// g per LSB in full resolution, the same in all ranges (table 1: 256 LSB/g).
  static let scale: Float = 1 / 256
  /// Samples in the FIFO and the output registers (section "Retrieving Data from FIFO").
  static let depth = 33
  static let sampleLength = 6

  let registers: ChipRegisters
  /// `FIFO_CTL` during sampling: stream mode in bits 7 and 6, the watermark in bits 4 to 0.
  private var fifoControl: UInt8?
  /// LSB from zero to the end of the range: 512 at ±2 g.
  private var steps: Int16 = 0
  /// True if a reading failed.
  private var isBroken = false
  private var selfTest: SelfTestRun?

  public init(bus: any I2CBus, address: I2CAddress) {
    registers = ChipRegisters(bus: bus, address: address)
  }

  /// `DEVID` is 0xE5.
  public func identify() throws(ChipError) {
    try registers.expect(Register.devID, isOneOf: [0xE5])
  }

  /// Does nothing: only chips with the value of the data sheet are accepted.
  public func confirmIdentity() throws(ChipError) {}

  /// Bit 3 of `DATA_FORMAT` is `FULL_RES`, right-justified. Bit 1 of `INT_ENABLE` is the watermark, mapped to
  /// INT1 by a zero in `INT_MAP`. Bit 3 of `POWER_CTL` is `Measure`. Bypass mode empties the FIFO.
  public mutating func start(_ request: SamplingRequest) throws(ChipError) -> Sampling {
    (fifoControl, isBroken, selfTest) = (nil, false, nil)
    let rate = try Self.rates.next(upwardsFrom: request.rate, "Hz sampling rate", of: registers.address)
    let range = try Self.ranges.next(upwardsFrom: request.range, "g range", of: registers.address)
    let watermark = request.watermark.map { min(max($0, 1), 31) }
    let control = 0x80 | UInt8(watermark ?? 0)
    try registers.expectReads(of: Self.sampleLength)

    try enterStandby()
    try registers.set(Register.dataFormat, to: 0x08 | range.code)
    try registers.write(Register.bwRate, rate.code)
    try registers.write(Register.fifoCtl, 0)
    try registers.set(Register.fifoCtl, to: control)
    try registers.write(Register.intEnable, watermark == nil ? 0 : 0x02, 0)
    try registers.set(Register.powerCtl, to: 0x08)
    fifoControl = control
    steps = 512 << Int16(range.code)
    return Sampling(
      rate: rate.value, range: range.value, resolution: Double(Self.scale), capacity: Self.depth - 1,
      watermark: watermark)
  }

  /// Each sample is a separate transaction: reading `DATAX0` to `DATAZ1` in one burst advances the FIFO by
  /// one, and the next address byte provides the required 5 µs. Bit 0 of `INT_SOURCE` reports an overrun and
  /// is cleared by reading the data; stream mode continues by itself. In full resolution a sample has ten to
  /// thirteen bits, and the others are copies of the sign. If one sample of a reading is out of range, all
  /// are rejected.
  public mutating func drain() throws(ChipError) -> FIFOReading {
    guard let control = fifoControl else {
      throw .cannot(registers.address, "a reading before the start of sampling")
    }
    if isBroken {
      try registers.write(Register.fifoCtl, 0)
      try registers.set(Register.fifoCtl, to: control)
      isBroken = false
      return FIFOReading(samples: [], isOverrun: true)
    }
    let source: UInt8 = try registers.read(Register.intSource)
    let state = try registers.read(Register.fifoCtl, 2)
    guard state[0] == control else {
      throw .settingLost(
        registers.address, register: Register.fifoCtl, expected: UInt16(control), got: UInt16(state[0]))
    }
    let present = min(Int(state[1] & 0x3F), Self.depth)
    let count = min(present, registers.recordsInOneStep(of: Self.sampleLength, burst: 1))
    var samples: [Acceleration] = []
    samples.reserveCapacity(count)
    isBroken = true
    for _ in 0..<count { samples.append(try readSample()) }
    isBroken = false
    let reading = FIFOReading(
      samples: samples, isOverrun: source & 0x01 != 0, waiting: present - count)
    return samples.allSatisfy(isWithinRange) ? reading : reading.doubted
  }

  public mutating func dieTemperature() throws(ChipError) -> Double? { nil }

  public mutating func powerDown() throws(ChipError) {
    (fifoControl, isBroken, selfTest) = (nil, false, nil)
    try enterStandby()
  }

  private func isWithinRange(_ sample: Acceleration) -> Bool {
    let range = Float(steps) * Self.scale
    let allowed = -range..<range
    return allowed.contains(sample.x) && allowed.contains(sample.y) && allowed.contains(sample.z)
  }

  /// `POWER_CTL` and `INT_ENABLE` are adjacent: standby, no interrupts.
  func enterStandby() throws(ChipError) { try registers.write(Register.powerCtl, 0, 0) }

  func readSample() throws(ChipError) -> Acceleration {
    Acceleration(
      littleEndian: try registers.read(Register.dataX0, Self.sampleLength), at: 0, scale: Self.scale)
  }
}

// MARK: Motion and self-test

extension ADXL345 {
  /// `ACT_INACT_CTL`: activity on all axes, ac-coupled: compared with the sample at the start of detection.
  private static var activity: UInt8 { 0xF0 }

  /// 12.5 Hz with `LOW_POWER` (bit 4 of `BW_RATE`). `THRESH_ACT` counts in 62.5 mg; the chip supports no
  /// duration.
  public mutating func watchForMotion(_ request: MotionWatch) throws(ChipError) {
    (fifoControl, isBroken, selfTest) = (nil, false, nil)
    try enterStandby()
    try registers.write(Register.dataFormat, 0x08)
    try registers.write(Register.fifoCtl, 0)
    try registers.write(Register.bwRate, 0x17)
    try registers.write(Register.threshAct, request.steps(of: 0.0625, atMost: 255))
    try registers.set(Register.actInactCtl, to: Self.activity)
    try registers.set(Register.powerCtl, to: 0x08)
    let _: UInt8 = try registers.read(Register.intSource)
    try registers.write(Register.intEnable, 0x10, 0)
  }

  public func checkStillWatching() throws(ChipError) {
    try registers.expect(Register.actInactCtl, toHold: Self.activity)
  }

  /// Bit 4 of `INT_SOURCE`, cleared by reading it. The chip compares with the orientation at the start of
  /// detection. After motion the detection is therefore restarted; otherwise a chip at rest in a new
  /// orientation would report motion forever.
  public mutating func motionSeen() throws(ChipError) -> Bool {
    let source: UInt8 = try registers.read(Register.intSource)
    guard source & 0x10 != 0 else { return false }
    try registers.write(Register.actInactCtl, 0)
    try registers.write(Register.actInactCtl, Self.activity)
    return true
  }

  /// Limits of the self-test response between 2.0 and 3.6 V: table 15 at 2.5 V times the smallest and the
  /// largest factor of table 14.
  static let selfTestLimits = SelfTestLimits(
    x: 50 / 256 * 0.64...540 / 256 * 2.11, y: -540 / 256 * 2.11 ... -50 / 256 * 0.64,
    z: 75 / 256 * 0.8...875 / 256 * 1.69)

  /// 100 Hz and normal power, as the self-test requires (section "Self-Test"); ±16 g because the force can
  /// exceed 4 g at 3.6 V. `SELF_TEST` is bit 7 of `DATA_FORMAT`.
  public mutating func selfTestStep() throws(ChipError) -> SelfTestStep {
    guard var run = selfTest else {
      (fifoControl, isBroken) = (nil, false)
      try enterStandby()
      try registers.set(Register.dataFormat, to: 0x0B)
      try registers.write(Register.bwRate, 0x0A)
      try registers.write(Register.fifoCtl, 0)
      try registers.set(Register.powerCtl, to: 0x08)
      selfTest = SelfTestRun()
      return .wait(.milliseconds(60))
    }
    selfTest = nil
    switch run.take(try readSample()) {
    case .oneMore:
      selfTest = run
      return .wait(.milliseconds(15))
    case .applyForce:
      try registers.set(Register.dataFormat, to: 0x8B)
      selfTest = run
      return .wait(.milliseconds(60))
    case .finished(let change):
      try registers.write(Register.dataFormat, 0x08)
      try powerDown()
      return Self.selfTestLimits.evaluate(change)
    }
  }
}

// MARK: Stillness

extension ADXL345 {
  /// 12.5 Hz with `LOW_POWER`, as for motion. `THRESH_INACT` counts in 62.5 mg, and `TIME_INACT` (next
  /// register) in seconds up to 255. `ACT_INACT_CTL` 0x0F selects all axes, ac-coupled: the reference is
  /// renewed whenever an axis exceeds the threshold, so any orientation counts as stationary (data sheet,
  /// "ACT_INACT_CTL").
  public mutating func watchForStillness(_ request: StillnessWatch) throws(ChipError) -> StillnessWatch {
    (fifoControl, isBroken, selfTest) = (nil, false, nil)
    let threshold = (1...255).nearest(to: request.threshold / 0.0625)
    let duration = (1...255).next(upwardsFrom: request.duration)
    try enterStandby()
    try registers.write(Register.intEnable, 0)
    try registers.write(Register.dataFormat, 0x08)
    try registers.write(Register.fifoCtl, 0)
    try registers.write(Register.bwRate, 0x17)
    try registers.write(Register.threshInact, threshold, duration)
    try registers.set(Register.actInactCtl, to: 0x0F)
    try registers.set(Register.powerCtl, to: 0x08)
    let _: UInt8 = try registers.read(Register.intSource)
    try registers.write(Register.intEnable, 0x08, 0)
    return StillnessWatch(threshold: Double(threshold) * 0.0625, duration: Double(duration))
  }

  /// Bit 3 of `INT_SOURCE`, cleared by reading it.
  public mutating func stillnessSeen() throws(ChipError) -> Bool {
    let source: UInt8 = try registers.read(Register.intSource)
    return source & 0x08 != 0
  }
}
