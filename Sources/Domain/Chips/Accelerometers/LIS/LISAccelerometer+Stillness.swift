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
