/// Registers of the LIS3DH (data sheet DocID17530, "Register mapping") that have the same addresses in the
/// LIS2DH12 (data sheet DocID025056, "Register mapping").
enum LISRegister {
  static let outADC3L: UInt8 = 0x0C
  static let whoAmI: UInt8 = 0x0F
  static let tempCfgReg: UInt8 = 0x1F
  static let ctrlReg1: UInt8 = 0x20
  static let ctrlReg2: UInt8 = 0x21
  static let ctrlReg4: UInt8 = 0x23
  static let reference: UInt8 = 0x26
  static let outXL: UInt8 = 0x28
  static let fifoCtrlReg: UInt8 = 0x2E
  static let int1Cfg: UInt8 = 0x30
  static let int1Src: UInt8 = 0x31
  static let int1Ths: UInt8 = 0x32

  /// Added to a register address: increments the address with each byte (data sheet, "I2C operation").
  static let autoIncrement: UInt8 = 0x80
}
