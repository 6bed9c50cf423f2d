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
    let (left, right) = Self.halves(columns)
    let (leftBefore, rightBefore) = Self.halves(before)
    var first = left.sum &+ right.sum
    var second = left.fallingSum &+ 8 &* left.sum &+ right.fallingSum
    second &+= 16 &* (leftBefore.sum &+ rightBefore.sum)
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

  private static func halves(_ columns: SIMD16<UInt8>) -> (EightBytes, EightBytes) {
    let words = unsafeBitCast(columns, to: SIMD2<UInt64>.self)
    return (EightBytes(UInt64(littleEndian: words.x)), EightBytes(UInt64(littleEndian: words.y)))
  }
}
