import CI2C
import Chips
import Glibc
import System

/// An I²C bus of the kernel: `/dev/i2c-N` (Documentation/i2c/dev-interface).
///
/// A transfer blocks for its time on the wire, and for at most ``timeout`` if a chip or the bus hangs.
public final class LinuxI2CBus: I2CBus {
  public let path: String
  public let functionality: I2CFunctionality
  private let descriptor: Descriptor
  /// Address of the SMBus transactions; nil before the first.
  private var selected: I2CAddress?

  /// Maximum time that a transfer may block the loop.
  public static let timeout = Duration.milliseconds(100)

  /// Throws the error of open(2) or `I2C_FUNCS`: ENOENT without the driver i2c-dev, EACCES outside the group
  /// i2c, ENOTTY if the path is not a bus.
  public init(path: String) throws(SystemError) {
    // Opened without blocking: the path may name a serial line without a carrier.
    let descriptor = Descriptor(
      owning: try check("open", on: path, open(path, O_RDWR | O_NONBLOCK | O_NOCTTY | O_CLOEXEC)))
    var mask: UInt = 0
    try check("I2C_FUNCS", on: path, outrider_i2c_functionality(descriptor.raw, &mask))
    // The timeout is in units of 10 ms. Both are properties of the adapter and are set again at each start.
    try check("I2C_TIMEOUT", on: path, outrider_i2c_set_timeout(descriptor.raw, 10))
    try check("I2C_RETRIES", on: path, outrider_i2c_set_retries(descriptor.raw, 0))
    self.path = path
    self.descriptor = descriptor
    functionality = I2CFunctionality(rawValue: mask)
  }

  public var longestRead: Int { TransactionKind.longestRead(on: functionality) }

  public func transfer(
    to address: I2CAddress, write: [UInt8], readCount: Int
  ) throws(I2CError) -> [UInt8] {
    guard
      let kind = TransactionKind.of(written: write.count, read: readCount, on: functionality)
    else {
      throw .unsupported(address, transaction: "write \(write.count), read \(readCount)")
    }
    if kind == .combined { return try combined(address, write, readCount) }
    try select(address)
    return try smbus(kind, address, write, readCount)
  }

  private func combined(
    _ address: I2CAddress, _ write: [UInt8], _ readCount: Int
  ) throws(I2CError) -> [UInt8] {
    var result: Int32 = 0
    var number: Int32 = 0
    let bytes = [UInt8](unsafeUninitializedCapacity: readCount) { buffer, count in
      buffer.initialize(repeating: 0)
      result = outrider_i2c_combined(
        descriptor.raw, UInt16(address.rawValue), write, UInt16(clamping: write.count), buffer.baseAddress,
        UInt16(clamping: readCount))
      number = errno
      count = readCount
    }
    guard result >= 0 else { throw Self.error(number, address) }
    return bytes
  }

  private func select(_ address: I2CAddress) throws(I2CError) {
    guard selected != address else { return }
    selected = nil
    // EBUSY if a driver of the kernel has the chip.
    guard outrider_i2c_select(descriptor.raw, UInt(address.rawValue)) >= 0 else {
      throw Self.error(errno, address)
    }
    selected = address
  }

  private func smbus(
    _ kind: TransactionKind, _ address: I2CAddress, _ write: [UInt8], _ readCount: Int
  ) throws(I2CError) -> [UInt8] {
    let raw = descriptor.raw
    var block = [UInt8](repeating: 0, count: kind == .readBlock ? TransactionKind.longestBlock : 0)
    let register = write.first ?? 0
    let result: Int32 =
      switch kind {
      case .combined: -1
      case .readByte: i2c_smbus_read_byte(raw)
      case .writeByte: i2c_smbus_write_byte(raw, register)
      case .readByteData: i2c_smbus_read_byte_data(raw, register)
      case .writeByteData: i2c_smbus_write_byte_data(raw, register, write[1])
      case .readWordData: i2c_smbus_read_word_data(raw, register)
      // The less significant byte is sent first.
      case .writeWordData:
        i2c_smbus_write_word_data(raw, register, UInt16(write[2]) << 8 | UInt16(write[1]))
      case .readBlock: i2c_smbus_read_i2c_block_data(raw, register, UInt8(clamping: readCount), &block)
      case .writeBlock:
        i2c_smbus_write_i2c_block_data(
          raw, register, UInt8(clamping: write.count - 1), Array(write.dropFirst()))
      }
    // The library returns the negative error number.
    guard result >= 0 else { throw Self.error(result == -1 ? errno : -result, address) }
    switch kind {
    case .combined, .writeByte, .writeByteData, .writeWordData, .writeBlock: return []
    case .readByte, .readByteData: return [UInt8(truncatingIfNeeded: result)]
    case .readWordData:
      return [UInt8(truncatingIfNeeded: result), UInt8(truncatingIfNeeded: result >> 8)]
    case .readBlock:
      guard result == readCount else {
        throw .shortRead(address, expected: readCount, got: Int(result))
      }
      return Array(block.prefix(readCount))
    }
  }

  /// Maps the error numbers, which differ between controllers (Documentation/i2c/fault-codes). i2c-stub
  /// returns ENODEV for an address without a chip; so does an unplugged USB adapter for any address.
  static func error(_ number: Int32, _ address: I2CAddress) -> I2CError {
    switch number {
    case ENXIO, EREMOTEIO, ENODEV: .noAcknowledge(address)
    case ETIMEDOUT: .timedOut(address)
    case _: .system(address, errno: number)
    }
  }
}
