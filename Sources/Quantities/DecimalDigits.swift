/// Decimal digits, eight at a time.
public enum DecimalDigits {
  /// How many digits ``eight(_:)`` can hold as a number.
  public static let limit: UInt64 = 100_000_000

  /// The eight digits of `value`, which is below ``limit``, as numbers 0...9 in the eight bytes of a register, the first
  /// digit lowest.
  ///
  /// Halves, pairs and digits are parted in lanes of 32, 16 and 8 bits, so that no digit costs a division.
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

  /// What turns numbers 0...9 in eight bytes into ASCII.
  public static let text: UInt64 = 0x3030_3030_3030_3030
}
