import CZlib

/// CRC-32 over the values of a row, which verifies the row independently of the file around it.
///
/// Every value is included with its storage class and, if it has one, its length. So the checksum detects a shifted
/// boundary between two texts and an exchange of null and zero.
public struct Checksum {
  private var sum: uLong = 0

  /// Starts a checksum. `label` names the table, so that a row of another table never matches.
  public init(label: String) { add(.text(label)) }

  public mutating func add(_ value: ColumnValue) {
    switch value {
    case .null: add(0)
    case .integer(let value): add(1, UInt64(bitPattern: value))
    case .real(let value): add(2, value.bitPattern)
    case .text(var value):
      add(3, UInt64(value.utf8.count))
      value.withUTF8 { add(UnsafeRawBufferPointer($0)) }
    case .blob(let value):
      add(4, UInt64(value.count))
      value.withUnsafeBytes { add($0) }
    }
  }

  private mutating func add(_ storageClass: UInt8) { withUnsafeBytes(of: storageClass) { add($0) } }

  private mutating func add(_ storageClass: UInt8, _ value: UInt64) {
    // The class is the last byte of the word before the value: nine consecutive bytes, one call.
    let words = ((UInt64(storageClass) << 56).littleEndian, value.littleEndian)
    withUnsafeBytes(of: words) { add(UnsafeRawBufferPointer(rebasing: $0[7...])) }
  }

  private mutating func add(_ bytes: UnsafeRawBufferPointer) {
    // With a null pointer crc32 would restart the sum (zlib.h).
    guard let start = bytes.baseAddress else { return }
    sum = crc32_z(sum, start.assumingMemoryBound(to: UInt8.self), bytes.count)
  }

  /// The CRC-32 of zlib as a signed number, which takes at most four bytes in a row.
  public var value: Int64 { Int64(Int32(bitPattern: UInt32(truncatingIfNeeded: sum))) }

  /// The checksum of `values` in order.
  ///
  /// Accepts only slices: this is called for every row, and a generic sequence costs indirect calls for every value.
  public static func of(_ values: ArraySlice<ColumnValue>, label: String) -> Int64 {
    var checksum = Checksum(label: label)
    for value in values { checksum.add(value) }
    return checksum.value
  }

  /// The checksum of a whole row.
  public static func of(_ values: [ColumnValue], label: String) -> Int64 { of(values[...], label: label) }
}
