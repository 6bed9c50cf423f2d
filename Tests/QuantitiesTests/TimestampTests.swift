import Quantities
import Testing

@Suite struct TimestampTests {
  struct Reading: Sendable, CustomTestStringConvertible {
    let text: String, milliseconds: Int64?
    var testDescription: String { text }
  }

  static let readings = [
    Reading(text: "1970-01-01T00:00:00Z", milliseconds: 0),
    Reading(text: "2026-03-01T10:15:02Z", milliseconds: 1_772_360_102_000),
    Reading(text: "2026-03-01T10:15:02.25Z", milliseconds: 1_772_360_102_250),
    Reading(text: "2026-03-01T11:15:02+01:00", milliseconds: 1_772_360_102_000),
    Reading(text: "2026-03-01T03:15:02-0700", milliseconds: 1_772_360_102_000),
    Reading(text: "2016-12-31T23:59:60Z", milliseconds: 1_483_228_800_000),
    Reading(text: "2026-03-01 10:15:02Z", milliseconds: 1_772_360_102_000),
    Reading(text: "2024-02-29T00:00:00Z", milliseconds: 1_709_164_800_000),
    Reading(text: "2023-02-29T00:00:00Z", milliseconds: nil),
    Reading(text: "2026-03-01T10:15:02", milliseconds: nil),
    Reading(text: "2026-03-01T24:15:02Z", milliseconds: nil),
    Reading(text: "2026-03-01T10:15:02.Z", milliseconds: nil),
    Reading(text: "2026-03-01T10:15:02Zx", milliseconds: nil),
    Reading(text: "", milliseconds: nil),
  ]

  @Test(arguments: readings)
  func readsISO8601AndRejectsOtherTexts(_ reading: Reading) {
    #expect(Timestamp(iso8601: reading.text)?.milliseconds == reading.milliseconds)
  }

  @Test func roundsTheFractionDown() {
    #expect(Timestamp(milliseconds: 1999).iso8601() == "1970-01-01T00:00:01Z")
    #expect(Timestamp(milliseconds: -1).iso8601() == "1969-12-31T23:59:59Z")
    #expect(Timestamp(milliseconds: 1250).iso8601(fraction: .milliseconds) == "1970-01-01T00:00:01.250Z")
  }

  @Test(arguments: 0..<64)
  func everyTimeIsParsedFromItsText(seed: UInt64) {
    var state = seed &* 0x9E37_79B9_7F4A_7C15 &+ 1
    for _ in 0..<200 {
      state = state &* 6_364_136_223_846_793_005 &+ 1_442_695_040_888_963_407
      let time = Timestamp(milliseconds: Int64(state >> 20) % 250_000_000_000_000)
      #expect(Timestamp(iso8601: time.iso8601(fraction: .milliseconds)) == time)
    }
  }

  @Test func daysCountAcrossLeapYears() {
    for days in stride(from: -200_000, through: 200_000, by: 37) {
      #expect(CalendarDate(daysSince1970: days).daysSince1970 == days)
    }
    #expect(CalendarDate(daysSince1970: 19_782) == CalendarDate(year: 2024, month: 2, day: 29))
  }

  @Test func arithmeticSaturatesInsteadOfTrapping() {
    #expect(Timestamp(milliseconds: .max) + .seconds(1) == Timestamp(milliseconds: .max))
    #expect(Moment(nanoseconds: .max) + .seconds(1) == Moment(nanoseconds: .max))
    #expect(Moment(nanoseconds: .min) - .seconds(1) == Moment(nanoseconds: .min))
  }
}
