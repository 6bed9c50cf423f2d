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
