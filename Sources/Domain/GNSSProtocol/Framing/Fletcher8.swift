/// The checksum of UBX: two sums modulo 256, the second over the values of the first.
///
/// In the second sum, a byte has the number of bytes from it to the end as its weight. Sixteen bytes are
/// added at a time, each column separately; the column sums before a block count sixteen times more for that
/// block.
package struct Fletcher8 {
  package let a: UInt8
  package let b: UInt8

  /// The checksum of the bytes in `range`.
  package init(_ bytes: UnsafeRawBufferPointer, _ range: Range<Int>) {
    var columns = SIMD16<UInt8>()
    var before = SIMD16<UInt8>()
    var position = range.lowerBound
    while position &+ 16 <= range.upperBound {
      before &+= columns
      columns &+= bytes.loadUnaligned(fromByteOffset: position, as: SIMD16<UInt8>.self)
      position &+= 16
    }
    let even = Self.even(columns)
    let odd = Self.odd(columns)
    var first = Self.sum(even &+ odd)
    // The weight of a column: sixteen for the first, one for the last.
    var second = Self.sum(
      even &* SIMD8(16, 14, 12, 10, 8, 6, 4, 2) &+ odd &* SIMD8(15, 13, 11, 9, 7, 5, 3, 1)
        &+ (Self.even(before) &+ Self.odd(before)) &* 16)
    if position &+ 8 <= range.upperBound {
      let next = EightBytes(
        UInt64(littleEndian: bytes.loadUnaligned(fromByteOffset: position, as: UInt64.self)))
      second &+= 8 &* first &+ next.fallingSum
      first &+= next.sum
      position &+= 8
    }
    while position < range.upperBound {
      first &+= UInt64(bytes[position])
      second &+= first
      position &+= 1
    }
    a = UInt8(truncatingIfNeeded: first)
    b = UInt8(truncatingIfNeeded: second)
  }

  /// The first, third, … byte, each in a group of 16 bits.
  @inline(__always)
  private static func even(_ columns: SIMD16<UInt8>) -> SIMD8<UInt16> { lanes(columns) & 0x00FF }

  /// The second, fourth, … byte, each in a group of 16 bits.
  @inline(__always)
  private static func odd(_ columns: SIMD16<UInt8>) -> SIMD8<UInt16> { lanes(columns) &>> 8 }

  @inline(__always)
  private static func lanes(_ columns: SIMD16<UInt8>) -> SIMD8<UInt16> {
    let words = unsafeBitCast(columns, to: SIMD8<UInt16>.self)
    #if _endian(big)
      return words &<< 8 | words &>> 8
    #else
      return words
    #endif
  }

  /// The sum of all groups, modulo 256.
  @inline(__always)
  private static func sum(_ lanes: SIMD8<UInt16>) -> UInt64 {
    let words = unsafeBitCast(lanes & 0x00FF, to: SIMD2<UInt64>.self)
    return ((words.x &+ words.y) &* 0x0001_0001_0001_0001) &>> 48
  }
}
