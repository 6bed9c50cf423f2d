/// Properties that differ within InvenSense's MPU family.
public protocol MPUPart {
  static var name: String { get }
  static var witness: String? { get }
  /// Valid values of `WHO_AM_I`.
  static var identities: [UInt8] { get }
  /// Values of `WHO_AM_I` of relatives and imitations. Such a chip is used only if it passes the self-test.
  static var relatives: [UInt8] { get }
  /// Bytes that the FIFO holds.
  static var fifoLength: Int { get }
  /// °C from `TEMP_OUT`.
  static func temperature(_ raw: Int16) -> Double
  /// Registers besides `CONFIG` that set the accelerometer's low-pass filter.
  static func filter(_ code: UInt8) -> [(register: UInt8, value: UInt8)]
  /// Registers that configure motion detection.
  static func detection(_ request: MotionWatch) -> [(register: UInt8, value: UInt8)]
  /// `PWR_MGMT_2` during motion detection: gyroscopes off, and the wake-up frequency if this register holds
  /// it.
  static var watchStandby: UInt8 { get }
  /// True if the chip has the registers `ZRMOT_THR` and `ZRMOT_DUR`.
  static var detectsZeroMotion: Bool { get }
  /// `AFS_SEL` of `ACCEL_CONFIG` during the self-test.
  static var selfTestRange: UInt8 { get }
  /// Limits from `SELF_TEST_X` and the three registers after it.
  static func selfTestLimits(_ trim: [UInt8]) -> SelfTestLimits
}

public typealias MPU6050 = MPUAccelerometer<MPU6050Part>
public typealias MPU6500 = MPUAccelerometer<MPU6500Part>
public typealias MPU9250 = MPUAccelerometer<MPU9250Part>
