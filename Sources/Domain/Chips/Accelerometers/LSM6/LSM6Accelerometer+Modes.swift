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
