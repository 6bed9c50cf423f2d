/// One I²C bus. A call is one transaction and returns when that is over, at the latest after the time that the
/// adapter is bound to (100 ms).
public protocol I2CBus: AnyObject {
  /// Start, `write`, repeated start where something is read, `readCount` bytes, stop. Returns exactly `readCount`
  /// bytes.
  func transfer(to address: I2CAddress, write: [UInt8], readCount: Int) throws(I2CError) -> [UInt8]

  /// The most bytes that one transaction reads. What is longer must be asked for in parts, where the part allows it.
  var longestRead: Int { get }
}

extension I2CBus {
  public var longestRead: Int { .max }
}
