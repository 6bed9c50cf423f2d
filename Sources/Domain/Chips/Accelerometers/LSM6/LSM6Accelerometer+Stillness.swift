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
