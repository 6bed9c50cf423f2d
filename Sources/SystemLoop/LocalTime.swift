import Glibc
import Quantities

/// The clock on the wall: `TZ`, or what the system was set to (tzset(3)).
public enum LocalTime {
  /// How far it is ahead of UTC at that time; zero where the C library cannot tell.
  public static func aheadOfUTC(at time: Timestamp) -> Duration {
    tzset()
    guard var seconds = time_t(exactly: time.wholeSeconds) else { return .zero }
    var parts = tm()
    guard localtime_r(&seconds, &parts) != nil else { return .zero }
    return .seconds(Int64(parts.tm_gmtoff))
  }

  /// The day that it shows then, counted from 1970-01-01.
  public static func day(of time: Timestamp) -> Int { (time + aheadOfUTC(at: time)).day }
}
