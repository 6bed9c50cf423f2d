import History
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

extension WallClock {
  /// The clock of the time zone of this host.
  init() { self.init { LocalTime.aheadOfUTC(at: $0) } }
}
