import Quantities

/// From when on something is told: a time, a day, or how long ago.
struct SinceOption: Equatable {
  static let help = help(days: "UTC")

  /// `days` says which clock's days are meant.
  static func help(days: String) -> String {
    "TIME is 2026-03-01T10:15:00Z, a day as 2026-03-01 (\(days)), or how long ago, as 90m, 12h or 7d"
  }

  let time: Timestamp

  /// Throws for words that are none of the three. `ahead` tells how far the clock whose `days` count is ahead of UTC.
  init(
    _ text: String, now: Timestamp, days: String = "UTC", ahead: (Timestamp) -> Duration = { _ in .zero }
  ) throws {
    if let time = Timestamp(iso8601: text) {
      self.time = time
    } else if let midnight = Timestamp(iso8601: text + "T00:00:00Z") {
      time = midnight + (.zero - ahead(midnight))
    } else if let ago = Duration(settingText: text) {
      time = now + (.zero - ago)
    } else {
      throw Arguments.Misuse(message: "--since: \"\(text)\" is no time; \(Self.help(days: days))")
    }
  }
}
