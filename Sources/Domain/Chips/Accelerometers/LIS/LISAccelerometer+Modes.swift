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
