/// A chip that is known by the value of an identity register: a supported one, a relative or imitation of it, or one that
/// is not supported.
///
/// Values are those of data sheets and of the kernel's drivers `inv_mpu6050` and `st_accel`; those of imitations are
/// as users of public libraries reported them.
public struct KnownChip: Equatable, Sendable {
  /// The name for messages, with an article.
  public let name: String
  /// The part in board files that reads it; nil if none does.
  public let part: String?

  private struct Register: Sendable {
    let addresses: [UInt8]
    let number: UInt8
    /// True for a register of two bytes, the more significant first.
    var isWord = false
    let chips: [UInt16: (name: String, part: String?)]
  }

  private static let registers = [
    // WHO_AM_I of InvenSense
    Register(
      addresses: [0x68, 0x69], number: 0x75,
      chips: [
        0x68: ("an MPU-6050", "mpu6050"), 0x72: ("an imitation of the MPU-6050", "mpu6050"),
        0x98: ("an imitation of the MPU-6050, or an ICM-20689", "mpu6050"), 0x70: ("an MPU-6500", "mpu6500"),
        0x74: ("an MPU-6515", "mpu6500"), 0x75: ("an imitation of the MPU-9250", "mpu6500"),
        0x78: ("an MPU-6880, or an imitation of the MPU-9250", "mpu6500"), 0x71: ("an MPU-9250", "mpu9250"),
        0x73: ("an MPU-9255", "mpu9250"), 0x11: ("an ICM-20600", nil), 0x12: ("an ICM-20602", nil),
        0x19: ("an MPU-6886", nil), 0x20: ("an ICM-20690", nil), 0xA6: ("an ICM-20609", nil),
        0xA9: ("an IAM-20680", nil), 0xAF: ("an ICM-20608", nil),
      ]),
    // CHIP_ID of Bosch. Address 0x68 is usually a clock, whose seconds can have these values.
    Register(addresses: [0x69], number: 0x00, chips: [0xD1: ("a BMI160", nil), 0x24: ("a BMI270", nil)]),
    // WHO_AM_I of ST
    Register(
      addresses: [0x18, 0x19, 0x1D], number: 0x0F,
      chips: [
        0x33: ("a LIS3DH or LIS2DH12", "lis3dh"), 0x11: ("an SC7A20, which is sold as LIS3DH", nil),
        0x3F: ("an imitation of the LIS3DH without a FIFO", nil), 0x32: ("a LIS331DLH", nil),
        0x41: ("a LIS2HH12", nil), 0x44: ("a LIS2DW12", nil),
      ]),
    Register(
      addresses: [0x6A, 0x6B], number: 0x0F,
      chips: [
        0x6C: ("an LSM6DSO", "lsm6dso"), 0x69: ("an LSM6DS3", nil), 0x6A: ("an LSM6DSL or LSM6DS3TR-C", nil),
        0x6B: ("an LSM6DSR", nil), 0x70: ("an LSM6DSV", nil),
      ]),
    // DEVID of Analog Devices
    Register(
      addresses: [0x53, 0x1D], number: 0x00,
      chips: [
        0xE5: ("an ADXL345", "adxl345"), 0xE6: ("an ADXL346", nil), 0xAD: ("an ADXL355 or ADXL362", nil),
      ]),
    // VERSION of Maxim
    Register(
      addresses: [0x36], number: 0x08, isWord: true,
      chips: [
        0x0002: ("a MAX17043", "max17043"), 0x0003: ("a MAX17043", "max17043"),
        0x0011: ("a MAX17048", "max17048"),
        0x0012: ("a MAX17048", "max17048"),
      ]),
    // Manufacturer and die of power monitors
    Register(
      addresses: Array(0x40...0x4F), number: 0xFE, isWord: true,
      chips: [0x190F: ("an SQ52201, which is sold as INA226", "ina226")]),
    Register(
      addresses: Array(0x40...0x4F), number: 0xFF, isWord: true,
      chips: [0x2260: ("an INA226", "ina226"), 0x2270: ("an INA260", "ina260")]),
  ]

  /// The chip with this value in an identity register; nil if it is not known.
  public init?(_ address: I2CAddress, register: UInt8, value: UInt16) {
    for known in Self.registers where known.number == register && known.addresses.contains(address.rawValue) {
      guard let chip = known.chips[value] else { continue }
      (name, part) = chip
      return
    }
    return nil
  }

  /// The chip at an address by the identity registers of one byte, which are safe to read; nil if none has a known value.
  static func find(at address: I2CAddress, on bus: any I2CBus) -> KnownChip? {
    for known in registers where !known.isWord && known.addresses.contains(address.rawValue) {
      do throws(ChipError) {
        let value: UInt8 = try ChipRegisters(bus: bus, address: address).read(known.number)
        if let chip = KnownChip(address, register: known.number, value: UInt16(value)) { return chip }
      } catch { continue }
    }
    return nil
  }
}
