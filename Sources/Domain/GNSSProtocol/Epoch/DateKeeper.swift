import Quantities

/// Keeps the date for epochs whose sentences carry only the time of day.
///
/// Only a date that came with a fix is kept: before the first fix it may come from a battery-backed clock.
struct DateKeeper {
  /// The known date in days since 1970-01-01.
  private var known: Int?
  private var lastTime: Int32 = 0
  private var lastMoment = Moment.zero
  /// The last date of a clock sentence whose time is not that of an epoch.
  private var reading: (day: Int, time: EpochTime)?
  private var readingMoment = Moment.zero

  /// Smallest decrease of the time of day that counts as midnight; a smaller one is a clock step back.
  static let midnightFall: Int32 = 43_200_000
  /// Smallest increase that counts as a step back over midnight: no receiver is silent for most of a day and
  /// then continues.
  static let stepOverMidnight: Int32 = 82_800_000
  /// The days around the start of GPS time, 1980-01-06: no receiver had a fix then.
  private static let firstWeek = 3652...3658
  /// Reach of a clock sentence in milliseconds: it dates the epochs that differ by less than this from its time.
  static let clockReach: Int32 = 1000
  /// Longest pause in nanoseconds after which the number of midnights is known.
  static let longestPause: Int64 = 43_200_000_000_000

  /// The day (since 1970-01-01) of an epoch at `time`, which may carry its own date.
  mutating func day(own: Int?, hasFix: Bool, time: Int32?, now: Moment) -> Int? {
    if let own, !hasFix { return Self.isUnsetClock(own) ? nil : own }
    if let own, !Self.firstWeek.contains(own) {
      remember(own, time: time, now: now)
      return own
    }
    guard let time, let known else { return nil }
    guard now.nanoseconds &- lastMoment.nanoseconds < Self.longestPause else {
      self.known = nil
      return nil
    }
    let day =
      if lastTime - time > Self.midnightFall { known + 1 } else if time - lastTime > Self.stepOverMidnight {
        known - 1
      } else { known }
    remember(day, time: time, now: now)
    return day
  }

  /// Stores the date of a clock sentence whose time differs from the epochs around it.
  mutating func record(_ date: CalendarDate, at time: EpochTime, now: Moment) {
    reading = (date.daysSince1970, time)
    readingMoment = now
  }

  /// The day of an epoch at `time` by the last clock sentence; nil if their times differ by a second or more.
  mutating func dayByClock(at time: EpochTime, now: Moment) -> Int? {
    guard let reading else { return nil }
    let offset = time.offset(from: reading.time)
    guard offset < Self.clockReach, now.nanoseconds &- readingMoment.nanoseconds < RecentEpochs.longestDelay
    else {
      self.reading = nil
      return nil
    }
    return offset > -Self.clockReach ? reading.day + time.midnights(from: reading.time) : nil
  }

  mutating func remember(_ day: Int, time: Int32?, now: Moment) {
    known = day
    if let time { lastTime = time }
    lastMoment = now
  }

  /// True for a day that unset clocks show: January 1980 and the rest of that year, the week rollover on
  /// 1999-08-22 and the day before, and the first day of 2000.
  private static func isUnsetClock(_ day: Int) -> Bool {
    switch day {
    case 3652...4017, 10_824, 10_825, 10_957: true
    case _: false
    }
  }
}
