import Quantities

/// Converts GPS time to UTC: GPS time has no leap seconds.
///
/// The steps are those of IERS Bulletin C since the start of GPS time; since 2017 the difference is 18 s.
enum LeapSeconds {
  /// Midnight 1980-01-06 UTC, the start of GPS time.
  private static let epochDay = 3657
  /// The start of GPS time in milliseconds since 1970.
  static let start = Int64(epochDay) * Timestamp.millisecondsPerDay
  /// Plausible range of a difference that the receiver reports.
  static let plausible = 0...40

  /// GPS − UTC in seconds, `milliseconds` after the start of GPS time.
  ///
  /// During the leap second it is still the previous difference, so that 23:59:60 becomes the first second of
  /// the next day.
  static func count(atGPS milliseconds: Int64) -> Int {
    var count = steps.count
    while count > 0 {
      let start = Int64(steps[count - 1] - epochDay) * 86_400 + Int64(count)
      if milliseconds >= start * 1000 { return count }
      count -= 1
    }
    return 0
  }

  /// UTC at a GPS time. `leapSeconds` is the receiver's value, nil for the table.
  static func utc(week: Int, millisecondOfWeek: Int64, leapSeconds: Int? = nil) -> Timestamp {
    let gps = Int64(week) * millisecondsPerWeek + millisecondOfWeek
    let leap = Int64(leapSeconds ?? count(atGPS: gps)) * 1000
    return Timestamp(milliseconds: start + gps - leap)
  }

  /// Milliseconds since midnight UTC, 0..<86 400 000.
  static func millisecondOfDay(ofWeek millisecond: Int64, leapSeconds: Int) -> Int32 {
    let day = Timestamp.millisecondsPerDay
    let remainder = (millisecond - Int64(leapSeconds) * 1000) % day
    return Int32(remainder < 0 ? remainder + day : remainder)
  }

  static let millisecondsPerWeek: Int64 = 604_800_000

  /// The difference since the last leap second.
  static var current: Int { steps.count }

  /// The dates, in days since 1970, on which the difference became 1, 2, 3… seconds.
  private static let steps: [Int] = [
    (1981, 7), (1982, 7), (1983, 7), (1985, 7), (1988, 1), (1990, 1), (1991, 1), (1992, 7), (1993, 7),
    (1994, 7), (1996, 1), (1997, 7), (1999, 1), (2006, 1), (2009, 1), (2012, 7), (2015, 7), (2017, 1),
  ].compactMap { CalendarDate(year: $0.0, month: $0.1, day: 1)?.daysSince1970 }
}
