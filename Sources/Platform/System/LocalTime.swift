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

  /// The name of the zone, such as Europe/Berlin: `TZ` if it is a name, otherwise the target of `/etc/localtime`. Nil if
  /// neither names one.
  public static var zoneName: String? {
    if let value = getenv("TZ") {
      let name = String(cString: value)
      return name.isEmpty || name.hasPrefix(":") || name.contains(",") ? nil : name
    }
    var target = [CChar](repeating: 0, count: 256)
    let length = readlink("/etc/localtime", &target, target.count)
    guard length > 0 else { return nil }
    let path = String(decoding: target.prefix(length).map { UInt8(bitPattern: $0) }, as: UTF8.self)
    let parts = path.split(separator: "/")
    guard let place = parts.lastIndex(of: "zoneinfo"), place + 1 < parts.count else { return nil }
    return parts[(place + 1)...].joined(separator: "/")
  }

  /// The local day at that time, counted from 1970-01-01.
  public static func day(of time: Timestamp) -> Int { (time + aheadOfUTC(at: time)).day }

  /// The start of a local day, counted from 1970-01-01. A day at a change of the clocks has 23 or 25 hours.
  public static func midnight(of day: Int) -> Timestamp {
    let wall = Timestamp(
      milliseconds: Int64(day).multipliedReportingOverflow(by: Timestamp.millisecondsPerDay).partialValue)
    let guess = wall + (.zero - aheadOfUTC(at: wall))
    return wall + (.zero - aheadOfUTC(at: guess))
  }
}
