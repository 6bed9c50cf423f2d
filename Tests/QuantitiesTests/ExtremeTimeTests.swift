import Quantities
import Testing

/// Arithmetic on times from outside, which may have any value.
@Suite struct ExtremeTimeTests {
  static let values: [Int64] = [
    .min, .min + 1, -62_135_596_800_000, -1, 0, 1, 1_796_000_000_000, 7_258_118_400_000, 253_402_300_800_000,
    .max - 1, .max,
  ]

  @Test(arguments: values) func timesAreSubtractedAndAddedWithoutOverflow(a: Int64) {
    for b in Self.values {
      let (x, y) = (Timestamp(milliseconds: a), Timestamp(milliseconds: b))
      #expect((x - y > .zero) == (x > y) && (x - y < .zero) == (x < y))
      #expect((x + (y - x) >= x) == (y >= x))
      let (first, second) = (Moment(nanoseconds: a), Moment(nanoseconds: b))
      #expect((first - second > .zero) == (first > second) && (first - second < .zero) == (first < second))
      #expect((first + (second - first) >= first) == (second >= first))
      _ = (x.day, x.date, x.millisecondOfDay, x.wholeSeconds, x.iso8601())
      let difference = x - y
      _ = (difference.wholeMilliseconds, difference.wholeNanoseconds, difference.inSeconds)
    }
  }

  @Test(
    arguments: [
      (0, 0, 0), (1_796_000_000, 999_999_999, 1_796_000_000_999), (7_258_118_399, 0, 7_258_118_399_000),
      (7_258_118_400, 0, nil), (-1, 0, nil), (.max, 0, nil), (.min, .min, nil), (5, -1, nil),
      (5, 1_000_000_000, nil),
    ] as [(Int64, Int64, Int64?)])
  func aClockOutside1970To2199HasNoTime(seconds: Int64, nanoseconds: Int64, milliseconds: Int64?) {
    #expect(Timestamp(clockSeconds: seconds, nanoseconds: nanoseconds)?.milliseconds == milliseconds)
  }
}
