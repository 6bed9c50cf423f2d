/// A time in UTC, in whole milliseconds.
///
/// A ``ClockQuality`` beside it describes its origin.
public struct Timestamp: Comparable, Hashable, Sendable {
  /// Milliseconds since 1970-01-01T00:00:00Z, leap seconds not counted.
  public var milliseconds: Int64

  public init(milliseconds: Int64) { self.milliseconds = milliseconds }

  /// Creates the time at midnight at the start of `date`, plus milliseconds.
  public init(_ date: CalendarDate, millisecondOfDay: Int64 = 0) {
    milliseconds = Int64(date.daysSince1970) * Self.millisecondsPerDay + millisecondOfDay
  }

  public static let millisecondsPerDay: Int64 = 86_400_000

  /// The number of days since 1970-01-01, rounded down.
  public var day: Int { Int(milliseconds.flooredQuotient(by: Self.millisecondsPerDay)) }

  /// The date, limited to the years 1...9999.
  public var date: CalendarDate {
    let days = milliseconds.flooredQuotient(by: Self.millisecondsPerDay)
    return CalendarDate(daysSince1970: Int(min(max(days, -719_162), 2_932_896)))
  }

  /// The milliseconds since midnight, 0..<86 400 000.
  public var millisecondOfDay: Int64 {
    let remainder = milliseconds % Self.millisecondsPerDay
    return remainder < 0 ? remainder + Self.millisecondsPerDay : remainder
  }

  /// The seconds since 1970, rounded down.
  public var wholeSeconds: Int64 { milliseconds.flooredQuotient(by: 1000) }

  public static func < (a: Timestamp, b: Timestamp) -> Bool { a.milliseconds < b.milliseconds }

  /// Adds a duration; saturates at the ends of the range instead of trapping.
  public static func + (timestamp: Timestamp, duration: Duration) -> Timestamp {
    let (sum, overflow) = timestamp.milliseconds.addingReportingOverflow(duration.wholeMilliseconds)
    guard overflow else { return Timestamp(milliseconds: sum) }
    return Timestamp(milliseconds: duration < .zero ? .min : .max)
  }

  /// The duration from `b` to `a`; saturates at ±292 million years.
  public static func - (a: Timestamp, b: Timestamp) -> Duration {
    let (difference, overflow) = a.milliseconds.subtractingReportingOverflow(b.milliseconds)
    return .milliseconds(overflow ? (a < b ? .min : .max) : difference)
  }

  /// Creates the time of another clock, in seconds since 1970. Nil outside the years 1970 to 2199: such a clock is not set.
  public init?(clockSeconds seconds: Int64, nanoseconds: Int64 = 0) {
    guard (0..<Self.endOfClocks).contains(seconds), (0..<1_000_000_000).contains(nanoseconds) else {
      return nil
    }
    milliseconds = seconds * 1000 + nanoseconds / 1_000_000
  }

  /// 2200-01-01 in seconds since 1970.
  private static let endOfClocks: Int64 = 7_258_118_400
}

extension Int64 {
  /// The quotient rounded toward negative infinity; `divisor` is positive.
  func flooredQuotient(by divisor: Int64) -> Int64 {
    let quotient = self / divisor
    return self % divisor < 0 ? quotient - 1 : quotient
  }
}
