/// One I²C bus. A call is one transaction and returns at its end, at the latest after the adapter's timeout
/// (100 ms).
public protocol I2CBus: AnyObject {
  /// Transfers bytes: start, `write`, repeated start if bytes are read, `readCount` bytes, stop. Returns exactly
  /// `readCount` bytes.
  func transfer(to address: I2CAddress, write: [UInt8], readCount: Int) throws(I2CError) -> [UInt8]

  /// The maximum number of bytes that one transaction reads. Longer reads must be split, if the chip permits it.
  var longestRead: Int { get }
}

extension I2CBus {
  public var longestRead: Int { .max }
}
