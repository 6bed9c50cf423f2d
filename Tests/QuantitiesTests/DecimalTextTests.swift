import Quantities
import Testing

@Suite struct DigitTextTests {
  @Test(arguments: [0, 7, 10, 99, 100, 123_456_789, Int.max, -5, Int.min], [0, 1, 2, 6, 20])
  func numbersArePaddedWithZeros(value: Int, digits: Int) {
    var text: [UInt8] = []
    text.appendPadded(value, digits: digits)
    let magnitude = String(value.magnitude)
    let zeros = String(repeating: "0", count: max(digits - magnitude.count, 0))
    #expect(String(decoding: text, as: UTF8.self) == (value < 0 ? "-" : "") + zeros + magnitude)
  }

  @Test(arguments: [0, 1, 12_345_678, 99_999_999, 90_000_009, 10_000, 9_999])
  func eightDigitsAreThoseOfTheNumber(value: UInt64) {
    let digits = DecimalDigits.eight(value)
    var read: UInt64 = 0
    for place in 0..<8 {
      let digit = digits >> UInt64(place * 8) & 0xFF
      read = read * 10 + digit
    }
    #expect(read == value)
  }
}
