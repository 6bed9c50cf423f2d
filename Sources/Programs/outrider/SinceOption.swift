import Quantities
import System

/// The value of `--since`: a time, a day, or an age.
struct SinceOption: Equatable {
  static let help =
    "TIME: 2026-03-01T10:15 or 2026-03-01 (local; Z or +02:00 optional), or an age: 90m, 12h, 7d"

  let time: Timestamp

  /// Parses a text; throws for any other. `ahead` is the offset of the local time from UTC at a given time.
  init(
    _ text: String, now: Timestamp, ahead: (Timestamp) -> Duration = LocalTime.aheadOfUTC
  ) throws {
    if let time = Timestamp(iso8601: text) ?? Timestamp(iso8601: Self.withSeconds(text)) {
      self.time = time
    } else if let onTheWall = Self.withoutZone(text) {
      // The earlier of two possible times on the day when the clock is set back.
      let guess = onTheWall + (.zero - ahead(onTheWall))
      time = onTheWall + (.zero - ahead(guess))
    } else if let ago = Duration(settingText: text) {
      time = now + (.zero - ago)
    } else {
      throw Arguments.Misuse(message: "--since: \"\(text)\" is not a time; \(Self.help)")
    }
  }

  /// Reads a time without a zone as if it were UTC.
  private static func withoutZone(_ text: String) -> Timestamp? {
    ["T00:00:00Z", ":00Z", "Z"].lazy.compactMap { Timestamp(iso8601: text + $0) }.first
  }

  /// Completes `2026-03-01T10:15Z` with seconds; returns any other text unchanged.
  private static func withSeconds(_ text: String) -> String {
    let minutes = text.prefix(16)
    return text.count > 16 && !text.dropFirst(16).hasPrefix(":") ? "\(minutes):00\(text.dropFirst(16))" : text
  }
}

/// Renders times in the local time zone, with the offset, so that each text is unambiguous.
struct WallClock: Sendable {
  /// The offset of the local time from UTC at a given time.
  var ahead: @Sendable (Timestamp) -> Duration = { LocalTime.aheadOfUTC(at: $0) }

  /// Returns `2026-03-01T12:15:00+02:00`, or with `Z` if the zone is UTC.
  func text(_ time: Timestamp) -> String {
    let minutes = ahead(time).wholeSeconds / 60
    guard minutes != 0 else { return time.iso8601() }
    let shown = (time + .seconds(minutes * 60)).iso8601().dropLast()
    return "\(shown)\(Self.offset(minutes))"
  }

  /// Returns the zone at a time: `UTC+02:00`, or `UTC`.
  func zone(at time: Timestamp) -> String {
    let minutes = ahead(time).wholeSeconds / 60
    return minutes == 0 ? "UTC" : "UTC\(Self.offset(minutes))"
  }

  private static func offset(_ minutes: Int64) -> String {
    let (hours, remainder) = minutes.magnitude.quotientAndRemainder(dividingBy: 60)
    func padded(_ number: UInt64) -> String { number < 10 ? "0\(number)" : "\(number)" }
    return "\(minutes < 0 ? "-" : "+")\(padded(hours)):\(padded(remainder))"
  }
}
