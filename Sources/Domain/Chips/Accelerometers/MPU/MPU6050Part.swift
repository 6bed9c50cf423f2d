/// InvenSense MPU-6050: register map RM-MPU-6000A-00, product specification PS-MPU-6000A-00. The MPU-6000 and
/// the MPU-9150 have the same identity and behave alike.
public enum MPU6050Part: MPUPart {
  public static let name = "mpu6050"
  public static let witness: String? =
    "a register model of the MPU-6050; the kernel's inv_mpu_iio.h; register map RM-MPU-6000A-00 rev. 4.2; "
    + "zero motion by i2cdevlib's MPU6050.cpp only"
  public static let identities: [UInt8] = [0x68]
  /// Imitations on boards sold as GY-521. 0x98 is also the ICM-20689, whose self-test registers differ.
  public static let relatives: [UInt8] = [0x72, 0x98]
  public static let fifoLength = 1024

  /// Register map, section 4.18.
  public static func temperature(_ raw: Int16) -> Double { Double(raw) / 340 + 36.53 }

  /// `CONFIG` sets one filter for all sensors.
  public static func filter(_ code: UInt8) -> [(register: UInt8, value: UInt8)] { [] }

  /// Bits 2 to 0 of `ACCEL_CONFIG` set the high-pass filter: 1 is 5 Hz. `MOT_THR` counts in 2 mg, as observed
  /// on chips; early editions of the register map say 32 mg. `MOT_DUR` counts samples. `MOT_DETECT_CTRL` 0x15
  /// gives the sensor 1 ms more to start and decrements the count for each sample without motion.
  public static func detection(_ request: MotionWatch) -> [(register: UInt8, value: UInt8)] {
    [
      (MPURegister.accelConfig, 0x01), (MPURegister.motThr, request.steps(of: 0.002, atMost: 255)),
      (MPURegister.motDur, request.samples(at: 5, in: 1...255)), (MPURegister.motDetectCtrl, 0x15),
    ]
  }

  /// `LP_WAKE_CTRL` 1 is 5 Hz.
  public static let watchStandby: UInt8 = 0x47

  public static let detectsZeroMotion = true

  public static let selfTestRange: UInt8 = 0x10

  /// The five bits of each axis are split over two registers and cover 0.34 to 0.92 g in thirty equal ratios
  /// (register map, section 4.1). The response must be within 14 % of that value (product specification,
  /// section 6.2). Without a factory trim any value of that range is accepted.
  public static func selfTestLimits(_ trim: [UInt8]) -> SelfTestLimits {
    func range(_ axis: Int) -> ClosedRange<Float> {
      guard trim.count >= 4 else { return 0.29...1.05 }
      let code = (trim[axis] >> 5) << 2 | (trim[3] >> (4 - 2 * axis)) & 0x03
      guard code > 0 else { return 0.29...1.05 }
      let expected = (1..<code).reduce(Float(0.34)) { value, _ in value * 1.033_737 }
      return expected * 0.86...expected * 1.14
    }
    return SelfTestLimits(x: range(0), y: range(1), z: range(2))
  }
}
