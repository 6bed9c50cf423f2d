import Glibc
import Quantities

/// Local time: `TZ`, or the system's time zone (tzset(3)).
public enum LocalTime {
  /// The offset from UTC at that time, positive east; zero if the C library does not know it.
  public static func aheadOfUTC(at time: Timestamp) -> Duration {
    tzset()
    guard var seconds = time_t(exactly: time.wholeSeconds) else { return .zero }
    var parts = tm()
    guard localtime_r(&seconds, &parts) != nil else { return .zero }
    return .seconds(Int64(parts.tm_gmtoff))
  }

  /// The local day at that time, counted from 1970-01-01.
  public static func day(of time: Timestamp) -> Int { (time + aheadOfUTC(at: time)).day }
}
