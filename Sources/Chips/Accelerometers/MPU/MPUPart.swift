/// What tells one part of InvenSense's MPU family from another.
public protocol MPUPart {
  static var name: String { get }
  static var witness: String? { get }
  /// What `WHO_AM_I` may be.
  static var identities: [UInt8] { get }
  /// Bytes that the FIFO holds.
  static var fifoLength: Int { get }
  /// °C from `TEMP_OUT`.
  static func temperature(_ raw: Int16) -> Double
  /// Registers that set the low-pass filter of the accelerometer besides `CONFIG`.
  static func filter(_ code: UInt8) -> [(register: UInt8, value: UInt8)]
  /// Registers that set the detection of movement.
  static func detection(_ wish: MotionWatch) -> [(register: UInt8, value: UInt8)]
  /// `PWR_MGMT_2` while it watches for movement: the gyroscopes off, and how often it looks where that stands here.
  static var watchStandby: UInt8 { get }
  /// Whether it has the registers `ZRMOT_THR` and `ZRMOT_DUR`.
  static var detectsZeroMotion: Bool { get }
  /// `AFS_SEL` of `ACCEL_CONFIG` in the self-test.
  static var selfTestRange: UInt8 { get }
  /// From `SELF_TEST_X` and the three registers after it.
  static func selfTestLimits(_ trim: [UInt8]) -> SelfTestLimits
}

public typealias MPU6050 = MPUAccelerometer<MPU6050Part>
public typealias MPU6500 = MPUAccelerometer<MPU6500Part>
public typealias MPU9250 = MPUAccelerometer<MPU9250Part>
