import Quantities
import Testing

/// The quiet hours by the wall clock, also on the days on which the clocks change.
@Suite struct QuietHoursTests {
  /// The offset of Berlin in 2026: the clocks change at 01:00 UTC on 29 March and 25 October.
  static func berlin(_ time: Timestamp) -> Duration {
    guard let start = Timestamp(iso8601: "2026-03-29T01:00:00Z"),
      let end = Timestamp(iso8601: "2026-10-25T01:00:00Z")
    else { return .zero }
    return time >= start && time < end ? .seconds(7200) : .seconds(3600)
  }

  static let valid = ["22:00-06:00", "00:00-23:59", "23:59-00:00", "12:30-13:15"]
  @Test(arguments: valid) func aPeriodIsReadAndWritten(text: String) {
    #expect(QuietHours(text)?.text == text)
  }

  static let invalid = [
    "", "22-6", "22:00", "22:00-", "-06:00", "22:00-22:00", "24:00-06:00", "22:60-06:00", "2:00-06:00",
    "22:00-06:00-07:00", "22:00 - 06:00", "+2:00-06:00", "22:0a-06:00",
  ]
  @Test(arguments: invalid) func anythingElseIsRejected(text: String) { #expect(QuietHours(text) == nil) }

  /// Hours, a time in UTC, and the end of the quiet hours from then on: the time itself if it is not quiet.
  static let ends: [(hours: String, time: String, end: String)] = [
    // Across midnight, in winter.
    ("22:00-06:00", "2026-01-10T20:59:59Z", "2026-01-10T20:59:59Z"),
    ("22:00-06:00", "2026-01-10T21:00:00Z", "2026-01-11T05:00:00Z"),
    ("22:00-06:00", "2026-01-10T23:30:00Z", "2026-01-11T05:00:00Z"),
    ("22:00-06:00", "2026-01-11T04:59:59Z", "2026-01-11T05:00:00Z"),
    ("22:00-06:00", "2026-01-11T05:00:00Z", "2026-01-11T05:00:00Z"),
    // Within one day.
    ("12:30-13:15", "2026-07-01T10:29:00Z", "2026-07-01T10:29:00Z"),
    ("12:30-13:15", "2026-07-01T10:30:00Z", "2026-07-01T11:15:00Z"),
    // The night of 23 hours is an hour shorter, that of 25 hours an hour longer.
    ("22:00-06:00", "2026-03-28T21:00:00Z", "2026-03-29T04:00:00Z"),
    ("22:00-06:00", "2026-10-24T20:00:00Z", "2026-10-25T05:00:00Z"),
    // The end does not exist: it is the first minute after the gap.
    ("22:00-02:30", "2026-03-28T22:00:00Z", "2026-03-29T01:00:00Z"),
    // The end exists twice: the hours are over at the first one, and quiet again in the repeated half hour.
    ("22:00-02:30", "2026-10-24T22:00:00Z", "2026-10-25T00:30:00Z"),
    ("22:00-02:30", "2026-10-25T00:45:00Z", "2026-10-25T00:45:00Z"),
    ("22:00-02:30", "2026-10-25T01:10:00Z", "2026-10-25T01:30:00Z"),
    // Almost the whole day.
    ("00:00-23:59", "2026-01-10T23:00:00Z", "2026-01-11T22:59:00Z"),
  ]

  @Test(arguments: ends) func theHoursEndByTheWallClock(hours: String, time: String, end: String) throws {
    let quiet = try #require(QuietHours(hours))
    let (time, end) = (try #require(Timestamp(iso8601: time)), try #require(Timestamp(iso8601: end)))
    #expect(quiet.end(from: time, aheadOfUTC: Self.berlin) == end)
    #expect(quiet.contains(time, ahead: Self.berlin(time)) == (time != end))
  }

  @Test func timesBeforeTheEpochAreQuietToo() throws {
    let quiet = try #require(QuietHours("22:00-06:00"))
    let time = Timestamp(milliseconds: -1)
    #expect(quiet.end(from: time, aheadOfUTC: { _ in .zero }) == Timestamp(milliseconds: 6 * 3_600_000))
  }
}
