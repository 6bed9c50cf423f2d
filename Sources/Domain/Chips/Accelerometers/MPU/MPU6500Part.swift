/// Common properties of the MPU-6500 and the MPU-9250, which contains it: register maps RM-MPU-6500A-00 and
/// RM-MPU-9250A-00, self-test AN-MPU-9250A-03.
public protocol MPU6500Generation: MPUPart {}

extension MPU6500Generation {
  public static var fifoLength: Int { 512 }

  /// Product specification, "Temperature Sensor": 333.87 LSB/°C, zero at 21 °C.
  public static func temperature(_ raw: Int16) -> Double { Double(raw) / 333.87 + 21 }

  public static func filter(_ code: UInt8) -> [(register: UInt8, value: UInt8)] {
    [(MPURegister.accelConfig2, code)]
  }

  /// `WOM_THR` counts in 4 mg, `LP_ACCEL_ODR` 5 samples at 7.81 Hz, and `ACCEL_INTEL_CTRL` 0xC0 compares each
  /// sample with the previous one instead of a high-pass filter. There is no duration.
  public static func detection(_ request: MotionWatch) -> [(register: UInt8, value: UInt8)] {
    [
      (MPURegister.accelConfig, 0x00), (MPURegister.accelConfig2, 0x01), (MPURegister.lpAccelODR, 0x05),
      (MPURegister.motThr, request.steps(of: 0.004, atMost: 255)), (MPURegister.motDetectCtrl, 0xC0),
    ]
  }

  public static var watchStandby: UInt8 { 0x07 }

  public static var detectsZeroMotion: Bool { false }

  public static var selfTestRange: UInt8 { 0x00 }

  /// The factory trim is 2620 LSB of the ±2 g range for code 1 and 1 % more for each further code. The
  /// response must be between 0.5 and 1.5 times the trim. Without a code it must be 225 to 675 mg.
  public static func selfTestLimits(_ trim: [UInt8]) -> SelfTestLimits {
    func range(_ axis: Int) -> ClosedRange<Float> {
      guard trim.count > axis, trim[axis] > 0 else { return 0.225...0.675 }
      let expected = (1..<trim[axis]).reduce(Float(2620) / 16384) { value, _ in value * 1.01 }
      return expected * 0.5...expected * 1.5
    }
    return SelfTestLimits(x: range(0), y: range(1), z: range(2))
  }
}

/// InvenSense MPU-6500.
public enum MPU6500Part: MPU6500Generation {
  public static let name = "mpu6500"
  public static let witness: String? = "the kernel's inv_mpu_iio.h and inv_mpu_core.c"
  public static let identities: [UInt8] = [0x70]
  /// MPU-6515 and MPU-6880, which the kernel's driver treats alike, and imitations on boards sold as MPU-9250.
  public static let relatives: [UInt8] = [0x74, 0x75, 0x78]
}

/// InvenSense MPU-9250 and MPU-9255; the magnetometer is off.
public enum MPU9250Part: MPU6500Generation {
  public static let name = "mpu9250"
  public static let witness: String? = MPU6500Part.witness
  public static let identities: [UInt8] = [0x71, 0x73]
  public static let relatives: [UInt8] = []
}
