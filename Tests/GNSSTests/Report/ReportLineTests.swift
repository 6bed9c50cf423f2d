import Quantities
import Testing
import GNSSProtocol
@testable import GNSSReport

@Suite struct ReportLineTests {
  static func line(_ write: (inout ReportLine) -> Void) -> String {
    var text: [UInt8] = []
    text.appendLine(room: 64, write)
    return String(decoding: text, as: UTF8.self)
  }

  static let numbers: [UInt64] = [
    0, 1, 9, 10, 99, 100, 9999, 10_000, 99_999_999, 100_000_000, 100_000_001, 9_999_999_999_999_999,
    10_000_000_000_000_000, 9_223_372_036_854_775_807,
  ]

  @Test(arguments: numbers)
  func aNumberIsWrittenAsItsDigits(number: UInt64) {
    #expect(Self.line { $0.write(number) } == String(number))
  }

  @Test func everyNumberOfFourDigitsIsCorrect() {
    for number in UInt64(0)...9999 {
      let digits = String(number)
      #expect(Self.line { $0.write(number) } == digits)
      #expect(
        Self.line { $0.write(number, digits: 4) } == String(repeating: "0", count: 4 - digits.count) + digits)
    }
  }

  @Test(arguments: 1...9)
  func fractionsKeepTheirZeros(count: Int) {
    #expect(Self.line { $0.write(7, digits: count) } == String(repeating: "0", count: count - 1) + "7")
    #expect(Self.line { $0.write(123_456_789, digits: count) } == String("123456789".suffix(count)))
  }

  @Test(arguments: [Int64(-1), 0, 951_782_399_999, 1_772_360_102_250, 253_402_300_799_999])
  func aTimeIsWrittenAsElsewhere(milliseconds: Int64) {
    let timestamp = Timestamp(milliseconds: milliseconds)
    #expect(Self.line { $0.write(timestamp) } == timestamp.iso8601(fraction: .milliseconds))
  }

  /// Halves are rounded away from 0, like `rounded()`.
  @Test(arguments: [
    (0.0005, "0.001"), (-0.0005, "-0.001"), (0.00049, "0.000"), (-0.0004, "0.000"),
    (2.5, "2.500"), (123456.0625, "123456.063"), (-123456.0625, "-123456.063"),
    (1e15, "1000000000000000.000"),
  ])
  func decimalsAreRounded(value: Double, text: String) {
    var fix = Fix()
    fix.climb = value
    #expect(TPVTests.line(fix) == #"{"class":"TPV","mode":1,"climb":\#(text)}"# + "\n")
  }
}
