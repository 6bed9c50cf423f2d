extension [UInt8] {
  /// Appends a number in decimal digits, filled with zeros on the left to at least `digits`.
  public mutating func appendPadded(_ value: Int, digits: Int) {
    if value < 0 { append(UInt8(ascii: "-")) }
    appendDigits(UInt64(value.magnitude), atLeast: digits)
  }

  /// Appends `value` / 10^`decimals` in its shortest decimal form: 80 with two decimals is `0.8`.
  public mutating func appendDecimal(_ value: Int64, decimals: Int) {
    var scaled = value
    var places = decimals
    while places > 0, scaled % 10 == 0 {
      scaled /= 10
      places -= 1
    }
    if scaled < 0 { append(UInt8(ascii: "-")) }
    var unit: UInt64 = 1
    for _ in 0..<places { unit *= 10 }
    appendDigits(scaled.magnitude / unit, atLeast: 1)
    guard places > 0 else { return }
    append(UInt8(ascii: "."))
    appendDigits(scaled.magnitude % unit, atLeast: places)
  }

  private mutating func appendDigits(_ value: UInt64, atLeast digits: Int) {
    var divisor: UInt64 = 1
    for _ in 1..<Swift.max(digits, 1) { divisor *= 10 }
    while value / divisor >= 10 { divisor *= 10 }
    while divisor > 0 {
      append(UInt8(truncatingIfNeeded: value / divisor % 10) + 0x30)
      divisor /= 10
    }
  }
}
