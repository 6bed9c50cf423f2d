import Quantities
import SystemLoop

/// The beginning of a span of time: a time, a day, or how long ago.
struct SinceOption: Equatable {
  static let help =
    "TIME is 2026-03-01T10:15 or 2026-03-01 (local; Z or +02:00 may follow), or an age: 90m, 12h, 7d"

  let time: Timestamp

  /// Throws for words that are none of the three. `ahead` is how far the clock on the wall is ahead of UTC at a time.
  init(
    _ text: String, now: Timestamp, ahead: (Timestamp) -> Duration = LocalTime.aheadOfUTC
  ) throws {
    if let time = Timestamp(iso8601: text) ?? Timestamp(iso8601: Self.withSeconds(text)) {
      self.time = time
    } else if let onTheWall = Self.withoutZone(text) {
      // Of two times on the day that the clock is set back, the one before.
      let guess = onTheWall + (.zero - ahead(onTheWall))
      time = onTheWall + (.zero - ahead(guess))
    } else if let ago = Duration(settingText: text) {
      time = now + (.zero - ago)
    } else {
      throw Arguments.Misuse(message: "--since: \"\(text)\" is no time; \(Self.help)")
    }
  }

  /// A time without a zone, as if it were UTC.
  private static func withoutZone(_ text: String) -> Timestamp? {
    ["T00:00:00Z", ":00Z", "Z"].lazy.compactMap { Timestamp(iso8601: text + $0) }.first
  }

  /// `2026-03-01T10:15Z` with its seconds; anything else as it is.
  private static func withSeconds(_ text: String) -> String {
    let minutes = text.prefix(16)
    return text.count > 16 && !text.dropFirst(16).hasPrefix(":") ? "\(minutes):00\(text.dropFirst(16))" : text
  }
}

/// Times on the clock on the wall, for people: with the zone, so that each stands for one moment.
struct WallClock: Sendable {
  /// How far the clock is ahead of UTC at a time.
  var ahead: @Sendable (Timestamp) -> Duration = { LocalTime.aheadOfUTC(at: $0) }

  /// `2026-03-01T12:15:00+02:00`, or with `Z` if the clock shows UTC.
  func text(_ time: Timestamp) -> String {
    let minutes = ahead(time).wholeSeconds / 60
    guard minutes != 0 else { return time.iso8601() }
    let shown = (time + .seconds(minutes * 60)).iso8601().dropLast()
    return "\(shown)\(Self.offset(minutes))"
  }

  /// The zone at a time: `UTC+02:00`, or `UTC`.
  func zone(at time: Timestamp) -> String {
    let minutes = ahead(time).wholeSeconds / 60
    return minutes == 0 ? "UTC" : "UTC\(Self.offset(minutes))"
  }

  private static func offset(_ minutes: Int64) -> String {
    let (hours, rest) = minutes.magnitude.quotientAndRemainder(dividingBy: 60)
    func padded(_ number: UInt64) -> String { number < 10 ? "0\(number)" : "\(number)" }
    return "\(minutes < 0 ? "-" : "+")\(padded(hours)):\(padded(rest))"
  }
}
