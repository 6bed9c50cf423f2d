import Quantities

/// Remembers the day for epochs whose sentences carry only the time of day.
///
/// Only a date that came with a fix is remembered: before the first fix it may be that of a battery clock.
struct DateKeeper {
  private var date: CalendarDate?
  private var lastTime: Int32 = 0
  private var lastMoment = Moment.zero

  /// A fall of the time of day by more than this is midnight, a smaller one a step back of the clock.
  static let midnightFall: Int32 = 43_200_000
  /// After a longer pause nobody knows how many midnights have passed.
  static let longestPause = Duration.seconds(43_200)

  /// The day of an epoch at `time`, which may carry its own date.
  mutating func day(own: CalendarDate?, hasFix: Bool, time: Int32?, now: Moment) -> CalendarDate? {
    if let own {
      guard hasFix else { return own.isUnsetClock ? nil : own }
      remember(own, time: time, now: now)
      return own
    }
    guard let time, let known = date else { return nil }
    guard now - lastMoment < Self.longestPause else {
      date = nil
      return nil
    }
    let day =
      lastTime - time > Self.midnightFall
      ? CalendarDate(daysSince1970: known.daysSince1970 + 1) : known
    remember(day, time: time, now: now)
    return day
  }

  mutating func remember(_ day: CalendarDate, time: Int32?, now: Moment) {
    date = day
    if let time { lastTime = time }
    lastMoment = now
  }
}

extension CalendarDate {
  /// A day that clocks show before they were ever set: January 1980, the wraps of the week counter, and the
  /// first of 2000.
  var isUnsetClock: Bool {
    switch (year, month, day) {
    case (1980, _, _), (1999, 8, 21), (1999, 8, 22), (2000, 1, 1): true
    case _: false
    }
  }
}
