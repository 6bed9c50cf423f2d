/// Registers of the MPU-6050 (register map RM-MPU-6000A-00, section 3) and of the MPU-6500 and MPU-9250
/// (RM-MPU-6500A-00 and RM-MPU-9250A-00, section 3). If an address differs in meaning, both names are given.
enum MPURegister {
  static let selfTestX: UInt8 = 0x0D
  static let smplrtDiv: UInt8 = 0x19
  static let accelConfig: UInt8 = 0x1C
  /// Second accelerometer configuration; absent from the MPU-6050.
  static let accelConfig2: UInt8 = 0x1D
  /// Sampling rate of low-power mode; absent from the MPU-6050.
  static let lpAccelODR: UInt8 = 0x1E
  /// `MOT_THR` of the MPU-6050, `WOM_THR` of the others.
  static let motThr: UInt8 = 0x1F
  /// Duration of motion detection; only in the MPU-6050.
  static let motDur: UInt8 = 0x20
  /// Threshold of zero-motion detection; only in the MPU-6050.
  static let zrmotThr: UInt8 = 0x21
  static let fifoEn: UInt8 = 0x23
  static let intPinCfg: UInt8 = 0x37
  static let intEnable: UInt8 = 0x38
  static let intStatus: UInt8 = 0x3A
  static let accelXOutH: UInt8 = 0x3B
  static let tempOutH: UInt8 = 0x41
  /// Status of motion detection; only in the MPU-6050.
  static let motDetectStatus: UInt8 = 0x61
  /// `MOT_DETECT_CTRL` of the MPU-6050, `ACCEL_INTEL_CTRL` of the others.
  static let motDetectCtrl: UInt8 = 0x69
  static let userCtrl: UInt8 = 0x6A
  static let pwrMgmt1: UInt8 = 0x6B
  static let fifoCountH: UInt8 = 0x72
  static let fifoRW: UInt8 = 0x74
  static let whoAmI: UInt8 = 0x75
}
