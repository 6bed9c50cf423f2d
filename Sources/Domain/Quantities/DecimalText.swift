extension [UInt8] {
  /// Appends a number in decimal digits, padded with zeros on the left to at least `digits`.
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
    // 64 bits have 20 digits at most.
    let room = Swift.max(digits, 20)
    withUnsafeTemporaryAllocation(of: UInt8.self, capacity: room) { text in
      var start = room
      var remainder = value
      while remainder > 0 || start > room - Swift.max(digits, 1) {
        start -= 1
        text[start] = UInt8(truncatingIfNeeded: remainder % 10) + 0x30
        remainder /= 10
      }
      append(contentsOf: UnsafeBufferPointer(rebasing: text[start...]))
    }
  }
}
