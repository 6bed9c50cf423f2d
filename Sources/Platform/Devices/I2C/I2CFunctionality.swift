import CI2C

/// The capabilities of an adapter (linux/i2c.h, `I2C_FUNC_…`).
public struct I2CFunctionality: OptionSet, Hashable, Sendable {
  public let rawValue: UInt
  public init(rawValue: UInt) { self.rawValue = rawValue }

  /// `I2C_RDWR` with messages of any length.
  public static let i2c = I2CFunctionality(rawValue: UInt(I2C_FUNC_I2C))
  public static let readByte = I2CFunctionality(rawValue: UInt(I2C_FUNC_SMBUS_READ_BYTE))
  public static let writeByte = I2CFunctionality(rawValue: UInt(I2C_FUNC_SMBUS_WRITE_BYTE))
  public static let readByteData = I2CFunctionality(rawValue: UInt(I2C_FUNC_SMBUS_READ_BYTE_DATA))
  public static let writeByteData = I2CFunctionality(rawValue: UInt(I2C_FUNC_SMBUS_WRITE_BYTE_DATA))
  public static let readWordData = I2CFunctionality(rawValue: UInt(I2C_FUNC_SMBUS_READ_WORD_DATA))
  public static let writeWordData = I2CFunctionality(rawValue: UInt(I2C_FUNC_SMBUS_WRITE_WORD_DATA))
  public static let readBlock = I2CFunctionality(rawValue: UInt(I2C_FUNC_SMBUS_READ_I2C_BLOCK))
  public static let writeBlock = I2CFunctionality(rawValue: UInt(I2C_FUNC_SMBUS_WRITE_I2C_BLOCK))
}
