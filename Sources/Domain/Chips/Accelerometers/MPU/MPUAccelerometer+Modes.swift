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
