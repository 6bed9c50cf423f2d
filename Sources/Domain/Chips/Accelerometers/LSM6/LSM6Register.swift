/// Registers of the LSM6DSO (data sheet DS12140, "Register mapping") that also exist in the LSM6DSOX
/// (DS12814).
enum LSM6Register {
  static let fifoCtrl1: UInt8 = 0x07
  static let fifoCtrl3: UInt8 = 0x09
  static let fifoCtrl4: UInt8 = 0x0A
  static let int1Ctrl: UInt8 = 0x0D
  static let whoAmI: UInt8 = 0x0F
  static let ctrl1XL: UInt8 = 0x10
  static let ctrl2G: UInt8 = 0x11
  static let ctrl3C: UInt8 = 0x12
  static let ctrl5C: UInt8 = 0x14
  static let ctrl6C: UInt8 = 0x15
  static let ctrl8XL: UInt8 = 0x17
  static let ctrl9XL: UInt8 = 0x18
  static let wakeUpSrc: UInt8 = 0x1B
  static let outTempL: UInt8 = 0x20
  static let outXLA: UInt8 = 0x28
  static let fifoStatus1: UInt8 = 0x3A
  static let tapCfg0: UInt8 = 0x56
  static let tapCfg2: UInt8 = 0x58
  static let wakeUpThs: UInt8 = 0x5B
  static let md1Cfg: UInt8 = 0x5E
  static let fifoDataOutTag: UInt8 = 0x78
  static let fifoDataOutXL: UInt8 = 0x79
}
