import Glibc
import Quantities
import Testing

@testable import System

/// Times of the kernel, of any value.
@Suite struct SystemClockTests {
  struct Case: Sendable, CustomTestStringConvertible {
    var seconds: Int
    var nanoseconds = 0
    /// UTC in ms; 0 for a clock that is not set.
    var utc: Int64
    /// Nanoseconds of the clock.
    var total: Int64
    var testDescription: String { "\(seconds) s and \(nanoseconds) ns" }
  }

  static let cases = [
    Case(seconds: 0, utc: 0, total: 0),
    Case(
      seconds: 1_796_000_000, nanoseconds: 250_999_999, utc: 1_796_000_000_250,
      total: 1_796_000_000_250_999_999),
    Case(
      seconds: 7_258_118_399, nanoseconds: 999_999_999, utc: 7_258_118_399_999,
      total: 7_258_118_399_999_999_999),
    // 2200-01-01.
    Case(seconds: 7_258_118_400, utc: 0, total: 7_258_118_400_000_000_000),
    // 2262-04-11T23:47:16.854775807Z, the last nanosecond of 64 bits, and after it.
    Case(seconds: 9_223_372_036, nanoseconds: 854_775_807, utc: 0, total: .max),
    Case(seconds: 9_223_372_036, nanoseconds: 854_775_808, utc: 0, total: .max),
    Case(seconds: 9_223_372_037, utc: 0, total: .max),
    Case(seconds: 253_402_300_800, utc: 0, total: .max),
    Case(seconds: .max, nanoseconds: 999_999_999, utc: 0, total: .max),
    Case(seconds: -1, utc: 0, total: -1_000_000_000),
    Case(seconds: -9_223_372_037, utc: 0, total: .min),
    Case(seconds: .min, nanoseconds: 999_999_999, utc: 0, total: .min),
    Case(seconds: .min, nanoseconds: .min, utc: 0, total: .min),
    Case(seconds: 5, nanoseconds: -1, utc: 0, total: 4_999_999_999),
  ]

  @Test(arguments: cases) func aTimeOutside1970To2199IsNoTimeAndNothingOverflows(_ test: Case) {
    let time = timespec(tv_sec: test.seconds, tv_nsec: test.nanoseconds)
    #expect(SystemClock.timestamp(of: time).milliseconds == test.utc)
    #expect(SystemClock.nanoseconds(of: time) == test.total)
  }
}
