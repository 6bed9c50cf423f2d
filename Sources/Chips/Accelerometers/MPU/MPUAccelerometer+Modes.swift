extension MPUAccelerometer {
  /// Out of sleep on the internal oscillator, gyroscopes in standby (`PWR_MGMT_1`, `PWR_MGMT_2`), nothing else going.
  func wake() throws(ChipError) {
    try registers.write(MPURegister.pwrMgmt1, 0x00, 0x07)
    try registers.write(MPURegister.intEnable, 0)
    try registers.write(MPURegister.motDetectCtrl, 0, 0)
    try registers.write(MPURegister.fifoEn, 0)
  }

  func write(_ settings: [(register: UInt8, value: UInt8)]) throws(ChipError) {
    for setting in settings { try registers.write(setting.register, setting.value) }
  }

  /// Nothing flows in while bit 2 of `USER_CTRL` empties it; then bit 6 switches it on and bit 3 of `FIFO_EN` lets in
  /// the accelerometer, so that its first byte is the first of a sample.
  func restartFIFO() throws(ChipError) {
    try registers.write(MPURegister.fifoEn, 0)
    try registers.write(MPURegister.userCtrl, 0x04)
    try registers.set(MPURegister.userCtrl, to: 0x40)
    try registers.write(MPURegister.fifoEn, 0x08)
  }

  /// An empty FIFO is also what a part shows that lost its supply on the way: it sleeps.
  func checkStillSampling() throws(ChipError) {
    try registers.expect(MPURegister.pwrMgmt1, toHold: 0)
  }

  /// Awake is also what a data line that is held low pretends: bit 6 of `USER_CTRL` must stand.
  func checkFIFOStillOn() throws(ChipError) {
    try checkStillSampling()
    let control: UInt8 = try registers.read(MPURegister.userCtrl)
    guard control & 0x40 != 0 else {
      throw .settingLost(
        registers.address, register: MPURegister.userCtrl, expected: 0x40, got: UInt16(control))
    }
  }

  /// `INT_PIN_CFG` bit 5 keeps the line raised until `INT_STATUS` is read, `INT_ENABLE` bit 6 is movement.
  public mutating func watchForMotion(_ wish: MotionWatch) throws(ChipError) {
    (sampling, selfTest) = (nil, nil)
    try wake()
    try registers.write(MPURegister.smplrtDiv, 0, 0, 0)
    try write(Part.detection(wish))
    try registers.write(MPURegister.intPinCfg, 0x20, 0x40)
    try registers.write(MPURegister.pwrMgmt1, Self.sleepBetweenLooks, Part.watchStandby)
    try checkStillWatching()
    let _: UInt8 = try registers.read(MPURegister.intStatus)
  }

  /// `PWR_MGMT_1`: it sleeps between looks, the thermometer is off.
  private static var sleepBetweenLooks: UInt8 { 0x28 }

  public func checkStillWatching() throws(ChipError) {
    try registers.expect(MPURegister.pwrMgmt1, toHold: Self.sleepBetweenLooks)
  }

  /// `MOT_INT`, or `WOM_INT`, is bit 6 of `INT_STATUS`.
  public mutating func motionSeen() throws(ChipError) -> Bool {
    let status: UInt8 = try registers.read(MPURegister.intStatus)
    return status & 0x40 != 0
  }

  /// At 100 Hz: bits 7 to 5 of `ACCEL_CONFIG` pull at all axes. What they should do is burnt into the part.
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
      return limits.judge(change)
    }
  }
}
