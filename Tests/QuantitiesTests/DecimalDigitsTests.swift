import Quantities
import Testing

@Suite struct DecimalDigitsTests {
  static let values: [Int] = [0, 7, 10, 99, 100, 123_456_789, .max, -5, .min]

  @Test(arguments: values, [0, 1, 2, 6, 20])
  func numbersArePaddedWithZeros(value: Int, digits: Int) {
    var text: [UInt8] = []
    text.appendPadded(value, digits: digits)
    let magnitude = String(value.magnitude)
    let zeros = String(repeating: "0", count: max(digits - magnitude.count, 0))
    #expect(String(decoding: text, as: UTF8.self) == (value < 0 ? "-" : "") + zeros + magnitude)
  }

  static let numbers: [UInt64] = [0, 1, 12_345_678, 99_999_999, 90_000_009, 10_000, 9999]

  @Test(arguments: numbers)
  func eightDigitsAreThoseOfTheNumber(value: UInt64) {
    var digits = DecimalDigits.eight(value)
    var read: UInt64 = 0
    for _ in 0..<8 {
      read = read * 10 + (digits & 0xFF)
      digits >>= 8
    }
    #expect(read == value && digits == 0)
  }
}
