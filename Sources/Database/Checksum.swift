import CZlib

/// CRC-32 over the values of a row, so that a row proves itself wherever it is found.
///
/// Each value is written with its storage class and, where it has one, its length: neither a moved border
/// between two texts nor an exchange of null and zero goes unseen.
public struct Checksum {
  private var sum: uLong = 0

  /// `label` names the table, so that a row of another one never fits.
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
    // The class is the last byte of the word before the value: nine bytes in a row, one call.
    let words = ((UInt64(storageClass) << 56).littleEndian, value.littleEndian)
    withUnsafeBytes(of: words) { add(UnsafeRawBufferPointer(rebasing: $0[7...])) }
  }

  private mutating func add(_ bytes: UnsafeRawBufferPointer) {
    // Without an address the sum would begin anew (zlib.h, crc32).
    guard let start = bytes.baseAddress else { return }
    sum = crc32_z(sum, start.assumingMemoryBound(to: UInt8.self), bytes.count)
  }

  /// The CRC-32 of zlib as a signed number, which takes at most four bytes in a row.
  public var value: Int64 { Int64(Int32(bitPattern: UInt32(truncatingIfNeeded: sum))) }

  /// The checksum of `values` in order.
  ///
  /// Takes slices alone: every row passes here, and a generic sequence costs indirect calls for each value.
  public static func of(_ values: ArraySlice<ColumnValue>, label: String) -> Int64 {
    var checksum = Checksum(label: label)
    for value in values { checksum.add(value) }
    return checksum.value
  }

  /// The checksum of a whole row.
  public static func of(_ values: [ColumnValue], label: String) -> Int64 { of(values[...], label: label) }
}
