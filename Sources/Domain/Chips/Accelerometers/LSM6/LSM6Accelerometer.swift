/// The accelerometer of ST's LSM6DSO family: ±2 to ±16 g at 16 bits, a FIFO of 512 tagged samples. The
/// gyroscope is off.
///
/// Registers and bits are those of the LSM6DSO data sheet (DS12140), section 9.
public struct LSM6Accelerometer<Part: LSM6Part>: Accelerometer {
  public static var name: String { Part.name }
  /// Pin SDO/SA0 low or high.
  public static var addresses: [I2CAddress] { [0x6A, 0x6B].compactMap(I2CAddress.init) }
  public static var witness: String? { Part.witness }

  let registers: ChipRegisters
  private var sampling: LSM6Sampling?
  private var selfTest: SelfTestRun?

  public init(bus: any I2CBus, address: I2CAddress) {
    registers = ChipRegisters(bus: bus, address: address)
  }

  /// `WHO_AM_I` is 0x6C.
  public func identify() throws(ChipError) {
    try registers.expect(LSM6Register.whoAmI, isOneOf: [0x6C])
  }

  /// Does nothing: only chips with the value of the data sheet are accepted.
  public func confirmIdentity() throws(ChipError) {}

  /// `FIFO_CTRL1` and bit 0 of `FIFO_CTRL2` hold the watermark, `FIFO_CTRL3` the FIFO's batch data rate,
  /// `FIFO_CTRL4` its mode (0 bypass, which empties it; 6 continuous). Bit 3 of `INT1_CTRL` is
  /// `INT1_FIFO_TH`.
  public mutating func start(_ request: SamplingRequest) throws(ChipError) -> Sampling {
    (sampling, selfTest) = (nil, nil)
    let rate = try LSM6Sampling.rates.next(
      upwardsFrom: request.rate, "Hz sampling rate", of: registers.address)
    let range = try LSM6Sampling.ranges.next(upwardsFrom: request.range, "g range", of: registers.address)
    let watermark = request.watermark.map { min(max($0, 1), LSM6Sampling.depth - 1) }
    let level = UInt16(watermark ?? 0)
    let new = LSM6Sampling(rate: rate, range: range)
    try registers.expectReads(of: LSM6Sampling.entryLength - 1)

    try reset()
    try registers.write(
      LSM6Register.fifoCtrl1, UInt8(truncatingIfNeeded: level), UInt8(level >> 8), rate.code)
    try registers.set(LSM6Register.fifoCtrl4, to: LSM6Sampling.continuous)
    try registers.write(LSM6Register.int1Ctrl, watermark == nil ? 0 : 0x08)
    try registers.set(LSM6Register.ctrl1XL, to: new.control)
    sampling = new
    return Sampling(
      rate: rate.value, range: range.value, resolution: Double(new.scale), capacity: LSM6Sampling.depth,
      watermark: watermark)
  }

  /// `FIFO_STATUS1` and `2` count the available entries of seven bytes. In a burst from the tag onwards, the
  /// register address wraps from `FIFO_DATA_OUT_Z_H` to the next tag. Continuous mode continues by itself
  /// after an overrun. One burst has at most ``LSM6Sampling/burst`` entries; an adapter with short reads
  /// needs several. If none of the entries is the accelerometer's, they are doubtful and the FIFO is
  /// restarted.
  public mutating func drain() throws(ChipError) -> FIFOReading {
    guard let current = sampling else {
      throw .cannot(registers.address, "a reading before the start of sampling")
    }
    if current.isBroken {
      try restartFIFO()
      return FIFOReading(samples: [], isOverrun: true)
    }
    let level = LSM6Sampling.Level(status: try registers.readLittleEndian(LSM6Register.fifoStatus1))
    guard level.count > 0 else {
      try checkStillSampling(as: current)
      return FIFOReading(samples: [], isOverrun: level.isOverrun)
    }
    let count = min(level.count, entriesInOneStep)
    sampling?.isBroken = true
    let samples = current.samples(of: try readEntries(count))
    guard !samples.isEmpty else {
      try restartFIFO()
      return FIFOReading(samples: [], isOverrun: level.isOverrun, doubtful: count)
    }
    sampling?.isBroken = false
    return FIFOReading(samples: samples, isOverrun: level.isOverrun, waiting: level.count - count)
  }

  private mutating func restartFIFO() throws(ChipError) {
    try registers.write(LSM6Register.fifoCtrl4, 0)
    try registers.set(LSM6Register.fifoCtrl4, to: LSM6Sampling.continuous)
    sampling?.isBroken = false
  }

  /// True if the adapter reads tag and words in one transaction.
  private var readsWholeEntries: Bool { registers.bus.longestRead >= LSM6Sampling.entryLength }

  private var entriesInOneStep: Int {
    let count =
      readsWholeEntries
      ? registers.recordsInOneStep(of: LSM6Sampling.entryLength, burst: LSM6Sampling.burst)
      : registers.recordsInOneStep(of: LSM6Sampling.entryLength, parts: 2, burst: 1)
    return min(count, LSM6Sampling.burst)
  }

  /// Reads whole entries. If the adapter cannot read one in a single transaction, it reads the tag and then
  /// the words, as in ST's examples: reading `FIFO_DATA_OUT_Z_H` advances the FIFO.
  private func readEntries(_ count: Int) throws(ChipError) -> [UInt8] {
    guard !readsWholeEntries else {
      return try registers.read(
        LSM6Register.fifoDataOutTag, records: count, of: LSM6Sampling.entryLength, burst: LSM6Sampling.burst)
    }
    var bytes: [UInt8] = []
    bytes.reserveCapacity(LSM6Sampling.entryLength * count)
    for _ in 0..<count {
      bytes.append(try registers.read(LSM6Register.fifoDataOutTag))
      bytes += try registers.read(LSM6Register.fifoDataOutXL, LSM6Sampling.entryLength - 1)
    }
    return bytes
  }

  /// Distinguishes an empty FIFO from a chip that lost its supply, which also shows none.
  private func checkStillSampling(as current: LSM6Sampling) throws(ChipError) {
    try registers.expect(LSM6Register.ctrl1XL, toHold: current.control)
  }

  /// `OUT_TEMP`: 256 LSB/°C, zero at 25 °C (data sheet, "Temperature sensor characteristics").
  public mutating func dieTemperature() throws(ChipError) -> Double? {
    guard sampling != nil else { return nil }
    let raw = try registers.readLittleEndian(LSM6Register.outTempL)
    return 25 + Double(Int16(bitPattern: raw)) / 256
  }

  public mutating func powerDown() throws(ChipError) {
    (sampling, selfTest) = (nil, nil)
    try registers.write(LSM6Register.ctrl1XL, 0)
  }
}

// MARK: Motion and self-test

extension LSM6Accelerometer {
  /// Both sensors off, no interrupts, FIFO empty. `CTRL3_C` 0x44 is `BDU` and `IF_INC`; `CTRL9_XL` 0xE2 is
  /// its default with the I3C interface off; bit 4 of `CTRL6_C` disables the accelerometer's high-performance
  /// mode.
  func reset(lowPower: Bool = true) throws(ChipError) {
    try registers.write(LSM6Register.ctrl1XL, 0, 0)
    try registers.set(LSM6Register.ctrl3C, to: 0x44)
    try registers.write(LSM6Register.fifoCtrl4, 0)
    try registers.write(LSM6Register.int1Ctrl, 0)
    try registers.write(LSM6Register.md1Cfg, 0)
    try registers.write(LSM6Register.ctrl5C, 0, lowPower ? 0x10 : 0)
    try registers.write(LSM6Register.ctrl8XL, 0, 0xE2)
  }

  /// 26 Hz and ±2 g. `SLOPE_FDS` of `TAP_CFG0` selects the high-pass filter, which `HPCF_XL` sets to 1/45 of
  /// the rate. `LIR` and `INT_CLR_ON_READ` latch the line until `WAKE_UP_SRC` is read. With `WAKE_THS_W` the
  /// steps of `WAKE_UP_THS` are 1/256 of the range, without it 1/64; `WAKE_DUR` counts to three samples.
  public mutating func watchForMotion(_ request: MotionWatch) throws(ChipError) {
    (sampling, selfTest) = (nil, nil)
    try reset()
    let isFine = request.threshold <= 63 * 2.0 / 256
    let threshold = request.steps(of: isFine ? 2.0 / 256 : 2.0 / 64, atMost: 63)
    let duration = request.samples(at: 26, in: 0...3)
    try registers.write(LSM6Register.ctrl8XL, 3 << 5)
    try registers.write(LSM6Register.tapCfg0, 0x51)
    try registers.write(LSM6Register.wakeUpThs, threshold, duration << 5 | (isFine ? 0x10 : 0))
    try registers.set(LSM6Register.ctrl1XL, to: 2 << 4)
    try registers.write(LSM6Register.tapCfg2, 0x80)
    let _: UInt8 = try registers.read(LSM6Register.wakeUpSrc)
    try registers.set(LSM6Register.md1Cfg, to: Self.wakeUpOnINT1)
  }

  /// `MD1_CFG`: `INT1_WU`.
  private static var wakeUpOnINT1: UInt8 { 0x20 }

  public func checkStillWatching() throws(ChipError) {
    try registers.expect(LSM6Register.md1Cfg, toHold: Self.wakeUpOnINT1)
  }

  /// `WU_IA` is bit 3 of `WAKE_UP_SRC`.
  public mutating func motionSeen() throws(ChipError) -> Bool {
    let source: UInt8 = try registers.read(LSM6Register.wakeUpSrc)
    return source & 0x08 != 0
  }

  /// 52 Hz and ±4 g in high-performance mode: `ST_XL` of `CTRL5_C` applies a positive force, and each axis
  /// must change by 50 to 1700 mg (data sheet, table 2; the procedure is that of ST's driver).
  public mutating func selfTestStep() throws(ChipError) -> SelfTestStep {
    guard var run = selfTest else {
      sampling = nil
      try reset(lowPower: false)
      try registers.set(LSM6Register.ctrl1XL, to: 0x38)
      selfTest = SelfTestRun()
      return .wait(.milliseconds(100))
    }
    selfTest = nil
    let bytes = try registers.read(LSM6Register.outXLA, 6)
    switch run.take(Acceleration(littleEndian: bytes, at: 0, scale: 122e-6)) {
    case .oneMore:
      selfTest = run
      return .wait(.milliseconds(25))
    case .applyForce:
      try registers.set(LSM6Register.ctrl5C, to: 0x01)
      selfTest = run
      return .wait(.milliseconds(100))
    case .finished(let change):
      try registers.write(LSM6Register.ctrl5C, 0)
      try powerDown()
      return SelfTestLimits.magnitude(0.05...1.7)(change).evaluate(change)
    }
  }
}

// MARK: Stillness

extension LSM6Accelerometer {
  /// The durations of `SLEEP_DUR`, bits 3 to 0 of `WAKE_UP_DUR`, at 26 Hz in seconds: 16 samples, then 512 a
  /// step.
  static var sleepDurations: [RegisterChoice] {
    [RegisterChoice(16.0 / 26, 0)] + (1...15).map { RegisterChoice(Double($0) * 512 / 26, $0) }
  }

  /// 26 Hz and ±2 g, with the high-pass filter and threshold of wake-on-motion. `INACT_EN` of `TAP_CFG2`
  /// stays 0, so inactivity changes neither rate nor power. `SLEEP_STATUS_ON_INT` of `TAP_CFG0` stays 0, so
  /// the line reports changes. `INT1_SLEEP_CHANGE` is bit 7 of `MD1_CFG` (data sheet, their descriptions).
  /// Possible durations are 0.6 s, and 19.7 to 295.4 s in steps of 19.7 s.
  public mutating func watchForStillness(_ request: StillnessWatch) throws(ChipError) -> StillnessWatch {
    (sampling, selfTest) = (nil, nil)
    try reset()
    let isFine = request.threshold <= 63 * 2.0 / 256
    let step = isFine ? 2.0 / 256 : 2.0 / 64
    let threshold = (1...63).nearest(to: request.threshold / step)
    let durations = Self.sleepDurations
    let duration =
      durations.first { !(request.duration > $0.value) } ?? durations[durations.count - 1]
    try registers.write(LSM6Register.ctrl8XL, 3 << 5)
    try registers.write(LSM6Register.tapCfg0, 0x51)
    try registers.write(LSM6Register.wakeUpThs, threshold, (isFine ? 0x10 : 0) | duration.code)
    try registers.set(LSM6Register.ctrl1XL, to: 2 << 4)
    try registers.write(LSM6Register.tapCfg2, 0x80)
    let _: UInt8 = try registers.read(LSM6Register.wakeUpSrc)
    try registers.set(LSM6Register.md1Cfg, to: 0x80)
    return StillnessWatch(threshold: Double(threshold) * step, duration: duration.value)
  }

  /// Bit 6 of `WAKE_UP_SRC` is `SLEEP_CHANGE_IA`, bit 4 `SLEEP_STATE`: a change to inactivity sets both.
  /// Inactivity that ended before the register was read is not reported.
  public mutating func stillnessSeen() throws(ChipError) -> Bool {
    let source: UInt8 = try registers.read(LSM6Register.wakeUpSrc)
    return source & 0x50 == 0x50
  }
}
