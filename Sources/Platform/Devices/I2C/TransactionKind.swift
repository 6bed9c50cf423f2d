/// The kernel interface that carries out one transaction.
///
/// SMBus transactions send the same bytes as I²C. Every adapter supports most of them, some support nothing
/// else, and a few support only I²C.
enum TransactionKind: Hashable, Sendable {
  /// `I2C_RDWR`: any lengths.
  case combined
  case readByte, writeByte
  case readByteData, writeByteData
  case readWordData, writeWordData
  case readBlock, writeBlock

  /// Bytes of an SMBus block (linux/i2c.h, `I2C_SMBUS_BLOCK_MAX`).
  static let longestBlock = 32
  /// Bytes of one message (the kernel's i2c-dev rejects more).
  static let longestMessage = 8192

  /// The interface for these numbers of bytes, register included; nil if the adapter has none.
  static func of(written: Int, read: Int, on adapter: I2CFunctionality) -> TransactionKind? {
    guard written >= 0, read >= 0, written + read > 0 else { return nil }
    if let (kind, need) = smbus(written: written, read: read), adapter.contains(need) { return kind }
    if written == 1, (1...2).contains(read), adapter.contains(.readBlock) { return .readBlock }
    guard adapter.contains(.i2c), written <= longestMessage, read <= longestMessage else { return nil }
    return .combined
  }

  /// The maximum number of bytes that one transaction can read from a register onwards.
  static func longestRead(on adapter: I2CFunctionality) -> Int {
    if adapter.contains(.i2c) { return longestMessage }
    if adapter.contains(.readBlock) { return longestBlock }
    return adapter.contains(.readWordData) ? 2 : 1
  }

  private static func smbus(written: Int, read: Int) -> (TransactionKind, I2CFunctionality)? {
    switch (written, read) {
    case (0, 1): (.readByte, .readByte)
    case (1, 0): (.writeByte, .writeByte)
    case (1, 1): (.readByteData, .readByteData)
    case (2, 0): (.writeByteData, .writeByteData)
    case (1, 2): (.readWordData, .readWordData)
    case (3, 0): (.writeWordData, .writeWordData)
    case (1, 3...longestBlock): (.readBlock, .readBlock)
    case (4...(longestBlock + 1), 0): (.writeBlock, .writeBlock)
    case (_, _): nil
    }
  }
}
