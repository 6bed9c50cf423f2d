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
