import Quantities

/// Remembers the day for epochs whose sentences carry only the time of day.
///
/// Only a date that came with a fix is remembered: before the first fix it may be that of a battery clock.
struct DateKeeper {
  /// Days since 1970-01-01.
  private var known: Int?
  private var lastTime: Int32 = 0
  private var lastMoment = Moment.zero
  /// The last date that a clock gave for a time that is not the one of an epoch.
  private var reading: (day: Int, time: EpochTime)?
  private var readingMoment = Moment.zero

  /// A fall of the time of day by more than this is midnight, a smaller one a step back of the clock.
  static let midnightFall: Int32 = 43_200_000
  /// A rise by more than this is a step back over midnight: nobody falls silent for most of a day and goes on.
  static let stepOverMidnight: Int32 = 82_800_000
  /// The days around the beginning of GPS time, 1980-01-06: nobody had a fix then.
  private static let firstWeek = 3652...3658
  /// Milliseconds; a clock dates the epochs that are less than this away from its time.
  static let clockReach: Int32 = 1000
  /// Nanoseconds; after a longer pause nobody knows how many midnights have passed.
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

  /// A clock gave a date for a time that differs from the time of the epochs around it.
  mutating func note(_ date: CalendarDate, at time: EpochTime, now: Moment) {
    reading = (date.daysSince1970, time)
    readingMoment = now
  }

  /// The day of an epoch at `time` by the last clock reading; nil when it is a second or more away.
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

  /// A day that clocks show before they were ever set: January 1980 and the rest of that year, the wrap of the
  /// week counter on 1999-08-22 and the day before, and the first of 2000.
  private static func isUnsetClock(_ day: Int) -> Bool {
    switch day {
    case 3652...4017, 10_824, 10_825, 10_957: true
    case _: false
    }
  }
}
