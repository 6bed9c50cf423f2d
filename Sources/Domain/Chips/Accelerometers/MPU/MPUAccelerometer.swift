/// The accelerometer of InvenSense's MPU family: ±2 to ±16 g at 16 bits. The gyroscopes are off.
///
/// The FIFO has no watermark and must be polled. It overwrites its oldest bytes, not its oldest samples, so
/// an overrun loses all samples.
public struct MPUAccelerometer<Part: MPUPart>: Accelerometer {
  public static var name: String { Part.name }
  /// Pin AD0 low or high.
  public static var addresses: [I2CAddress] { [0x68, 0x69].compactMap(I2CAddress.init) }
  public static var witness: String? { Part.witness }

  let registers: ChipRegisters
  private var sampling: MPUSampling?
  private var selfTest: (run: SelfTestRun, limits: SelfTestLimits)?

  public init(bus: any I2CBus, address: I2CAddress) {
    registers = ChipRegisters(bus: bus, address: address)
  }

  /// `WHO_AM_I` is independent of the address.
  public func identify() throws(ChipError) {
    let got: UInt8 = try registers.read(MPURegister.whoAmI)
    guard !Part.identities.contains(got), !Part.relatives.contains(got) else { return }
    throw wrongIdentity(got)
  }

  private func wrongIdentity(_ got: UInt8) -> ChipError {
    .wrongIdentity(
      registers.address, register: MPURegister.whoAmI, expected: Part.identities.map { UInt16($0) },
      got: UInt16(got))
  }

  /// A relative or an imitation that fails the self-test is another chip.
  public func confirmIdentity() throws(ChipError) {
    guard !Part.relatives.isEmpty else { return }
    let got: UInt8 = try registers.read(MPURegister.whoAmI)
    if Part.relatives.contains(got) { throw wrongIdentity(got) }
  }

  /// `SMPLRT_DIV`, `CONFIG`, `GYRO_CONFIG` and `ACCEL_CONFIG` are adjacent. Bit 4 of `INT_ENABLE` is
  /// `FIFO_OFLOW_EN`: the line is raised on an overflow, when data is already lost, and lowered by reading
  /// `INT_STATUS`.
  public mutating func start(_ request: SamplingRequest) throws(ChipError) -> Sampling {
    (sampling, selfTest) = (nil, nil)
    let filter = try MPUSampling.filters.next(
      upwardsFrom: request.rate, "Hz sampling rate", of: registers.address)
    let range = try MPUSampling.ranges.next(upwardsFrom: request.range, "g range", of: registers.address)
    let divider = MPUSampling.divider(upwardsFrom: request.rate)
    let new = MPUSampling(range: range)

    try wake()
    try registers.write(MPURegister.smplrtDiv, divider, filter.code, 0, range.code << 3)
    try write(Part.filter(filter.code))
    try registers.write(MPURegister.intPinCfg, 0x20, 0x10)
    try restartFIFO()
    sampling = new
    return Sampling(
      rate: 1000 / (Double(divider) + 1), range: range.value, resolution: Double(new.scale),
      capacity: Part.fifoLength / MPUSampling.sampleLength, watermark: nil)
  }

  /// Bit 4 of `INT_STATUS` reports an overrun, and `FIFO_COUNT` the number of available bytes. A burst from
  /// `FIFO_R_W` does not increment the address. One burst has at most ``MPUSampling/burst`` bytes; an adapter
  /// with short reads needs several, because the register supplies successive bytes in any grouping. A partly
  /// written sample is left for the next reading.
  public mutating func drain() throws(ChipError) -> FIFOReading {
    guard let current = sampling else {
      throw .cannot(registers.address, "a reading before the start of sampling")
    }
    let status: UInt8 = try registers.read(MPURegister.intStatus)
    let waiting = Int(try registers.readBigEndian(MPURegister.fifoCountH))
    if current.isBroken || status & 0x10 != 0 || waiting >= Part.fifoLength {
      sampling?.isBroken = true
      try restartFIFO()
      sampling?.isBroken = false
      return FIFOReading(samples: [], isOverrun: true)
    }
    let present = waiting / MPUSampling.sampleLength
    guard present > 0 else {
      try checkFIFOStillOn()
      return FIFOReading(samples: [], isOverrun: false)
    }
    let most = registers.recordsInOneStep(of: 1, burst: MPUSampling.burst) / MPUSampling.sampleLength
    let count = min(present, max(1, min(most, MPUSampling.burst / MPUSampling.sampleLength)))
    sampling?.isBroken = true
    let bytes = try registers.read(
      MPURegister.fifoRW, records: MPUSampling.sampleLength * count, of: 1, burst: MPUSampling.burst)
    sampling?.isBroken = false
    let samples = (0..<count).map {
      Acceleration(bigEndian: bytes, at: MPUSampling.sampleLength * $0, scale: current.scale)
    }
    return FIFOReading(samples: samples, isOverrun: false, waiting: present - count)
  }

  public mutating func dieTemperature() throws(ChipError) -> Double? {
    guard sampling != nil else { return nil }
    return Part.temperature(Int16(bitPattern: try registers.readBigEndian(MPURegister.tempOutH)))
  }

  /// `SLEEP` is bit 6 of `PWR_MGMT_1`.
  public mutating func powerDown() throws(ChipError) {
    (sampling, selfTest) = (nil, nil)
    try registers.write(MPURegister.pwrMgmt1, 0x40)
  }
}

// MARK: Motion and self-test

extension MPUAccelerometer {
  /// Leaves sleep mode: internal oscillator, gyroscopes in standby (`PWR_MGMT_1`, `PWR_MGMT_2`), everything
  /// else off.
  func wake() throws(ChipError) {
    try registers.write(MPURegister.pwrMgmt1, 0x00, 0x07)
    try registers.write(MPURegister.intEnable, 0)
    try registers.write(MPURegister.motDetectCtrl, 0, 0)
    try registers.write(MPURegister.fifoEn, 0)
  }

  func write(_ settings: [(register: UInt8, value: UInt8)]) throws(ChipError) {
    for setting in settings { try registers.write(setting.register, setting.value) }
  }

  /// Bit 2 of `USER_CTRL` empties the FIFO while no sensor writes to it. Then bit 6 enables it and bit 3 of
  /// `FIFO_EN` selects the accelerometer, so that its first byte is the first of a sample.
  func restartFIFO() throws(ChipError) {
    try registers.write(MPURegister.fifoEn, 0)
    try registers.write(MPURegister.userCtrl, 0x04)
    try registers.set(MPURegister.userCtrl, to: 0x40)
    try registers.write(MPURegister.fifoEn, 0x08)
  }

  /// Distinguishes an empty FIFO from a chip that lost its supply: the latter is in sleep mode.
  func checkStillSampling() throws(ChipError) {
    try registers.expect(MPURegister.pwrMgmt1, toHold: 0)
  }

  /// Bit 6 of `USER_CTRL` must be set: a data line stuck low also reads as awake.
  func checkFIFOStillOn() throws(ChipError) {
    try checkStillSampling()
    let control: UInt8 = try registers.read(MPURegister.userCtrl)
    guard control & 0x40 != 0 else {
      throw .settingLost(
        registers.address, register: MPURegister.userCtrl, expected: 0x40, got: UInt16(control))
    }
  }

  /// Bit 5 of `INT_PIN_CFG` latches the line until `INT_STATUS` is read; bit 6 of `INT_ENABLE` is the motion
  /// interrupt.
  public mutating func watchForMotion(_ request: MotionWatch) throws(ChipError) {
    (sampling, selfTest) = (nil, nil)
    try wake()
    try registers.write(MPURegister.smplrtDiv, 0, 0, 0)
    try write(Part.detection(request))
    try registers.write(MPURegister.intPinCfg, 0x20, 0x40)
    try registers.write(MPURegister.pwrMgmt1, Self.sleepBetweenSamples, Part.watchStandby)
    try checkStillWatching()
    let _: UInt8 = try registers.read(MPURegister.intStatus)
  }

  /// `PWR_MGMT_1`: cycles between sleep and single samples; the temperature sensor is off.
  private static var sleepBetweenSamples: UInt8 { 0x28 }

  public func checkStillWatching() throws(ChipError) {
    try registers.expect(MPURegister.pwrMgmt1, toHold: Self.sleepBetweenSamples)
  }

  /// `MOT_INT`, or `WOM_INT`, is bit 6 of `INT_STATUS`.
  public mutating func motionSeen() throws(ChipError) -> Bool {
    let status: UInt8 = try registers.read(MPURegister.intStatus)
    return status & 0x40 != 0
  }

  /// 100 Hz: bits 7 to 5 of `ACCEL_CONFIG` apply the force to all axes. The expected response is stored in
  /// the chip.
  public mutating func selfTestStep() throws(ChipError) -> SelfTestStep {
    guard let limits = selfTest?.limits, var run = selfTest?.run else {
      sampling = nil
      try wake()
      try registers.write(MPURegister.smplrtDiv, 9, 2, 0, Part.selfTestRange)
      try write(Part.filter(2))
      let limits = Part.selfTestLimits(try registers.read(MPURegister.selfTestX, 4))
      selfTest = (SelfTestRun(), limits)
      return .wait(.milliseconds(100))
    }
    selfTest = nil
    let scale = MPUSampling(range: MPUSampling.ranges[Int(Part.selfTestRange >> 3 & 3)]).scale
    let bytes = try registers.read(MPURegister.accelXOutH, 6)
    switch run.take(Acceleration(bigEndian: bytes, at: 0, scale: scale)) {
    case .oneMore:
      selfTest = (run, limits)
      return .wait(.milliseconds(15))
    case .applyForce:
      try registers.set(MPURegister.accelConfig, to: 0xE0 | Part.selfTestRange)
      selfTest = (run, limits)
      return .wait(.milliseconds(100))
    case .finished(let change):
      try registers.write(MPURegister.accelConfig, Part.selfTestRange)
      try powerDown()
      return limits.evaluate(change)
    }
  }
}

// MARK: Stillness

extension MPUAccelerometer {
  /// Zero-motion detection, available only in the MPU-6050 and documented only in early editions of its
  /// register map (`ZRMOT_THR` and `ZRMOT_DUR`; absent from revision 4.2): steps of 2 mg and of 64 ms, up to
  /// 16.3 s. `ACCEL_CONFIG` 4 sets the high-pass filter to 0.63 Hz, which passes footsteps; bit 5 of
  /// `INT_ENABLE` is zero motion. The accelerometer stays awake, at about 0.5 mA: the effect of low-power
  /// mode on the 64 ms is not documented.
  public mutating func watchForStillness(_ request: StillnessWatch) throws(ChipError) -> StillnessWatch {
    try checkZeroMotion()
    (sampling, selfTest) = (nil, nil)
    let threshold = (1...255).nearest(to: request.threshold / 0.002)
    let duration = (1...255).next(upwardsFrom: request.duration / 0.064)
    try wake()
    try registers.write(MPURegister.smplrtDiv, 0, 0, 0, 0x04)
    try registers.set(MPURegister.zrmotThr, to: threshold)
    try registers.set(MPURegister.zrmotThr + 1, to: duration)
    try registers.write(MPURegister.intPinCfg, 0x20, 0x20)
    try checkStillSampling()
    let _: UInt8 = try registers.read(MPURegister.intStatus)
    return StillnessWatch(threshold: Double(threshold) * 0.002, duration: Double(duration) * 0.064)
  }

  /// `ZMOT_INT` is bit 5 of `INT_STATUS` and is set at the beginning and at the end of zero motion;
  /// `MOT_ZRMOT`, bit 0 of `MOT_DETECT_STATUS`, distinguishes them. Zero motion that ended before the
  /// register was read is not reported.
  public mutating func stillnessSeen() throws(ChipError) -> Bool {
    try checkZeroMotion()
    let status: UInt8 = try registers.read(MPURegister.intStatus)
    guard status & 0x20 != 0 else { return false }
    let detected: UInt8 = try registers.read(MPURegister.motDetectStatus)
    return detected & 0x01 != 0
  }

  private func checkZeroMotion() throws(ChipError) {
    guard Part.detectsZeroMotion else {
      throw .cannot(registers.address, "a zero-motion interrupt on this chip")
    }
  }
}
