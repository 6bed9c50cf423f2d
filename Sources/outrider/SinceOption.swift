import Quantities

/// From when on something is told: a time, a day in UTC, or how long ago.
struct SinceOption: Equatable {
  static let help =
    "TIME is 2026-03-01T10:15:00Z, a day as 2026-03-01 (UTC), or how long ago, as 90m, 12h or 7d"

  let time: Timestamp

  /// Throws for words that are none of the three.
  init(_ text: String, now: Timestamp) throws {
    if let time = Timestamp(iso8601: text) ?? Timestamp(iso8601: text + "T00:00:00Z") {
      self.time = time
    } else if let ago = Duration(settingText: text) {
      time = now + (.zero - ago)
    } else {
      throw Arguments.Misuse(message: "--since: \"\(text)\" is no time; \(Self.help)")
    }
  }
}
