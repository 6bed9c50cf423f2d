/// Converts numbers to decimal digits, eight at a time.
public enum DecimalDigits {
  /// The limit of the values that ``eight(_:)`` can convert.
  public static let limit: UInt64 = 100_000_000

  /// Returns the eight digits of `value`, which must be below ``limit``, as numbers 0...9 in eight bytes, the first
  /// digit in the lowest byte.
  ///
  /// Halves, pairs and digits are separated in groups of 32, 16 and 8 bits, without a division.
  @inlinable @inline(__always)
  public static func eight(_ value: UInt64) -> UInt64 {
    let half = value / 10_000
    let halves = half | (value &- half &* 10_000) &<< 32
    // x / 100 for x below 10,000, and x / 10 for x below 100.
    let pair = (halves &* 10_486) &>> 20 & 0x0000_007F_0000_007F
    let pairs = pair | (halves &- pair &* 100) &<< 16
    let tens = (pairs &* 103) &>> 10 & 0x000F_000F_000F_000F
    return tens | (pairs &- tens &* 10) &<< 8
  }

  /// The value to add to numbers 0...9 in eight bytes for ASCII digits.
  public static let text: UInt64 = 0x3030_3030_3030_3030
}
