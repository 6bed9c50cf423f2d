import CZlib

/// CRC-32 over the values of a row, so that a row proves itself wherever it is found.
///
/// Each value is written with its storage class and, where it has one, its length: neither a moved border
/// between two texts nor an exchange of null and zero goes unseen.
public struct Checksum {
  private var bytes: [UInt8] = []

  /// `label` names the table, so that a row of another one never fits.
  public init(label: String) {
    bytes.reserveCapacity(512)
    add(.text(label))
  }

  public mutating func add(_ value: ColumnValue) {
    switch value {
    case .null: bytes.append(0)
    case .integer(let value): add(1, UInt64(bitPattern: value))
    case .real(let value): add(2, value.bitPattern)
    case .text(let value):
      add(3, UInt64(value.utf8.count))
      bytes.append(contentsOf: value.utf8)
    case .blob(let value):
      add(4, UInt64(value.count))
      bytes.append(contentsOf: value)
    }
  }

  private mutating func add(_ storageClass: UInt8, _ value: UInt64) {
    bytes.append(storageClass)
    withUnsafeBytes(of: value.littleEndian) { bytes.append(contentsOf: $0) }
  }

  /// The CRC-32 of zlib as a signed number, which takes at most four bytes in a row.
  public var value: Int64 {
    let sum = crc32(0, bytes, uInt(bytes.count))
    return Int64(Int32(bitPattern: UInt32(truncatingIfNeeded: sum)))
  }

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
