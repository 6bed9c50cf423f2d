import Quantities

/// Repairs dates of receivers that resolved the 10-bit GPS week into the wrong period of 1,024 weeks.
///
/// The legacy signal counts weeks modulo 1,024 (IS-GPS-200, 20.3.3.3.1.1). A receiver resolves the count from a base
/// in its firmware. 1,024 weeks after that base every date is 7,168 days too old, while time of day and position
/// remain right.
public enum WeekRollover {
  /// The earliest date of a supported receiver that works correctly.
  public static let floor = Timestamp(milliseconds: 1_483_228_800_000)  // 2017-01-01T00:00:00Z

  /// 1,024 weeks in milliseconds.
  public static let period: Int64 = 7168 * Timestamp.millisecondsPerDay

  /// Adds 1,024 weeks until `time` is not before the floor, but never past `latest`.
  ///
  /// `latest` is the latest possible time; nil if unknown. A time that no multiple brings between both limits is
  /// returned unchanged. Never subtracts.
  public static func repair(_ time: Timestamp, latest: Timestamp?) -> Timestamp {
    repair(time, earliest: floor, latest: latest)
  }

  /// The same with another earliest time than the floor.
  static func repair(_ time: Timestamp, earliest: Timestamp, latest: Timestamp?) -> Timestamp {
    let (missing, isFar) = earliest.milliseconds.subtractingReportingOverflow(time.milliseconds)
    guard !isFar, missing > 0, missing < mostPeriods * period else { return time }
    let periods = (missing + period - 1) / period
    let (repaired, overflow) = time.milliseconds.addingReportingOverflow(periods * period)
    if overflow { return time }
    if let latest, repaired > latest.milliseconds { return time }
    return Timestamp(milliseconds: repaired)
  }

  /// Largest number of periods that a repair adds.
  private static let mostPeriods: Int64 = 8

  /// The limit for the repair of a recording: the system clock if it is later than the release of this program; nil for
  /// an unset clock.
  public static func latest(systemClock: Timestamp) -> Timestamp? {
    systemClock > Release.date ? systemClock : nil
  }
}
