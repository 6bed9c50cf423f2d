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
