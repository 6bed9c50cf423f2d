/// The checksum of UBX: two sums modulo 256, the second over the values of the first.
///
/// A byte counts in the second sum as often as there are bytes from it to the end. Sixteen are added at once, each
/// column for itself: what the columns are before a block counts sixteen times more for that block.
struct Fletcher8 {
  let a: UInt8
  let b: UInt8

  /// Over the bytes of `range`.
  init(_ bytes: UnsafeRawBufferPointer, _ range: Range<Int>) {
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
    // How often a column counts: the first sixteen times, the last once.
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

  /// The first, third … byte, each in a lane of 16 bits.
  @inline(__always)
  private static func even(_ columns: SIMD16<UInt8>) -> SIMD8<UInt16> { lanes(columns) & 0x00FF }

  /// The second, fourth … byte, each in a lane of 16 bits.
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

  /// All lanes added up, modulo 256.
  @inline(__always)
  private static func sum(_ lanes: SIMD8<UInt16>) -> UInt64 {
    let words = unsafeBitCast(lanes & 0x00FF, to: SIMD2<UInt64>.self)
    return ((words.x &+ words.y) &* 0x0001_0001_0001_0001) &>> 48
  }
}
