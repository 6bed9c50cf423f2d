import GNSSProtocol
import Quantities
import Testing

@testable import Tracking

/// The dates that a live session believes.
@Suite struct DateBoundsTests {
  static let release = "2026-11-21T00:00:00Z"
  static let unset = "1970-01-01T00:00:00Z"

  struct Case: Sendable, CustomTestStringConvertible {
    var date: String
    /// The date after one fix; nil if the epoch counts as undated.
    var believed: String?
    var system = DateBoundsTests.unset
    var isSynchronised = false
    var lastRecord: String?
    var testDescription: String {
      "\(date), system \(system)\(isSynchronised ? " synchronised" : ""), log \(lastRecord ?? "empty")"
    }
  }

  static let cases = [
    // The clock of the host is not set.
    Case(date: "2026-11-29T06:10:00Z", believed: "2026-11-29T06:10:00Z"),
    Case(date: "2019-04-17T06:10:00Z"),
    Case(date: "2007-04-15T06:10:00Z", believed: "2026-11-29T06:10:00Z"),
    Case(date: "1987-08-30T06:10:00Z", believed: "2026-11-29T06:10:00Z"),
    Case(date: "1999-12-31T06:10:00Z"),
    Case(date: "1980-01-08T06:10:00Z"),
    Case(date: "2006-11-29T06:10:00Z"),
    Case(date: "2000-01-01T00:00:00Z"),
    Case(date: "2017-03-01T00:00:00Z", believed: "2036-10-15T00:00:00Z"),
    Case(date: "2017-05-01T00:00:00Z"),
    Case(date: "2026-11-19T23:59:59Z"),
    // A day of tolerance.
    Case(date: "2026-11-20T00:00:00Z", believed: "2026-11-20T00:00:00Z"),
    Case(date: "2036-11-21T00:00:00Z", believed: "2036-11-21T00:00:00Z"),
    Case(date: "2037-01-01T00:00:00Z"),
    // The clock of the host is set, but nothing synchronises it.
    Case(date: "2026-11-29T06:10:00Z", believed: "2026-11-29T06:10:00Z", system: "2026-11-30T05:00:00Z"),
    Case(date: "2007-04-15T06:10:00Z", believed: "2026-11-29T06:10:00Z", system: "2026-11-30T05:00:00Z"),
    Case(date: "2019-04-17T06:10:00Z", system: "2026-11-30T05:00:00Z"),
    Case(date: "1999-12-31T06:10:00Z", system: "2026-11-30T05:00:00Z"),
    Case(date: "2034-11-07T06:10:00Z", system: "2026-11-30T05:00:00Z"),
    Case(date: "2026-12-03T06:10:00Z", system: "2026-11-30T05:00:00Z"),
    // A synchronised clock.
    Case(
      date: "2026-11-30T05:00:00Z", believed: "2026-11-30T05:00:00Z", system: "2026-11-30T05:00:00Z",
      isSynchronised: true),
    Case(
      date: "2007-04-15T06:10:00Z", believed: "2026-11-29T06:10:00Z", system: "2026-11-30T05:00:00Z",
      isSynchronised: true),
    Case(date: "2007-04-19T06:10:00Z", system: "2026-11-30T05:00:00Z", isSynchronised: true),
    Case(date: "2007-04-15T06:10:00Z", system: "2027-11-30T05:00:00Z", isSynchronised: true),
    Case(date: "2026-11-27T05:00:00Z", system: "2026-11-30T05:00:00Z", isSynchronised: true),
    Case(date: "2034-11-07T06:10:00Z", system: "2026-11-30T05:00:00Z", isSynchronised: true),
    // A synchronised clock before the release cannot be right.
    Case(
      date: "2026-11-29T06:10:00Z", believed: "2026-11-29T06:10:00Z", system: "2019-04-17T06:10:00Z",
      isSynchronised: true),
    Case(date: "2019-04-17T06:10:00Z", system: "2019-04-17T06:10:00Z", isSynchronised: true),
    // The last record of the log.
    Case(date: "2027-05-01T00:00:00Z", believed: "2027-05-01T00:00:00Z", lastRecord: "2027-05-01T23:00:00Z"),
    Case(date: "2027-04-30T00:00:00Z", lastRecord: "2027-05-01T23:00:00Z"),
    Case(date: "2007-09-16T00:00:00Z", believed: "2027-05-02T00:00:00Z", lastRecord: "2027-05-01T23:00:00Z"),
    Case(date: "2007-08-16T00:00:00Z", lastRecord: "2027-05-01T23:00:00Z"),
    Case(date: "2026-11-29T00:00:00Z", believed: "2026-11-29T00:00:00Z", lastRecord: "2019-01-01T00:00:00Z"),
    // A last record in the future: of no weight beside a synchronised clock, or beyond the longest use.
    Case(
      date: "2026-11-30T05:00:00Z", believed: "2026-11-30T05:00:00Z", system: "2026-11-30T05:00:00Z",
      isSynchronised: true, lastRecord: "2034-11-07T00:00:00Z"),
    Case(date: "2026-11-30T05:00:00Z", believed: "2026-11-30T05:00:00Z", lastRecord: "2080-01-01T00:00:00Z"),
    Case(date: "2026-11-30T05:00:00Z", lastRecord: "2034-11-07T00:00:00Z"),
  ]

  private static func clock(lastRecord: String? = nil) throws -> DeviceClock {
    var clock = DeviceClock(DateBounds(release: try #require(Timestamp(iso8601: release))))
    clock.opened(lastRecord: lastRecord.flatMap { Timestamp(iso8601: $0) })
    return clock
  }

  @Test(arguments: cases) func aDateBeforeTheEarliestIsRepairedOrNoDate(_ test: Case) throws {
    var clock = try Self.clock(lastRecord: test.lastRecord)
    let date = try #require(Timestamp(iso8601: test.date))
    let system = try #require(Timestamp(iso8601: test.system))
    let reading = clock.read(
      timestamp: date, millisecondOfDay: Int32(date.millisecondOfDay), arrival: .zero + .seconds(100),
      systemClock: system, isSynchronised: test.isSynchronised)
    #expect(reading.timestamp?.iso8601() == test.believed)
    #expect(reading.isDated == (test.believed != nil))
  }

  /// Passes a date every second for so long. Returns the seconds until it was believed; nil if it never was.
  private static func wait(
    _ clock: inout DeviceClock, from text: String, seconds: Int64 = 4 * 3600, system: String = unset,
    isSynchronised: Bool = false
  ) throws -> Int64? {
    let date = try #require(Timestamp(iso8601: text))
    let system = try #require(Timestamp(iso8601: system))
    for second in 0...seconds {
      let time = date + .seconds(second)
      let reading = clock.read(
        timestamp: time, millisecondOfDay: Int32(time.millisecondOfDay),
        arrival: .zero + .seconds(100 + second),
        systemClock: system.milliseconds < 1_000_000_000_000 ? system : system + .seconds(second),
        isSynchronised: isSynchronised)
      if reading.isDated { return second }
    }
    return nil
  }

  struct Recovery: Sendable {
    var date = "2026-11-29T06:10:00Z"
    var lastRecord: String?
    var system = DateBoundsTests.unset
    var isSynchronised = false
    var seconds: Int64?
  }

  /// A wrong limit must not lock out right dates for ever; the release is no wrong limit.
  static let recoveries = [
    Recovery(lastRecord: "2034-11-07T00:00:00Z", seconds: 3600),
    Recovery(lastRecord: "2034-11-07T00:00:00Z", system: "2026-11-29T06:00:00Z", seconds: 600),
    Recovery(
      lastRecord: "2034-11-07T00:00:00Z", system: "2026-11-29T06:10:00Z", isSynchronised: true, seconds: 0),
    Recovery(system: "2026-12-24T00:00:00Z", isSynchronised: true, seconds: 3600),
    // The host's clock comes from a file of weeks ago.
    Recovery(date: "2027-02-01T00:00:00Z", system: "2026-12-24T00:00:00Z", seconds: 10),
    // The program is used for longer than ten years.
    Recovery(date: "2038-02-01T00:00:00Z", seconds: 600),
    Recovery(date: "2019-04-17T00:00:00Z", seconds: nil),
    Recovery(date: "2006-11-29T00:00:00Z", lastRecord: "2026-11-25T00:00:00Z", seconds: nil),
  ]

  @Test(arguments: recoveries) func evidenceOverridesAWrongLogAndAWrongSystemClock(_ test: Recovery) throws {
    var clock = try Self.clock(lastRecord: test.lastRecord)
    let seconds = try Self.wait(
      &clock, from: test.date, system: test.system, isSynchronised: test.isSynchronised)
    #expect(seconds == test.seconds)
  }

  /// A date that does not advance is no evidence, however often it comes.
  @Test func aDateThatStandsStillIsNeverProven() throws {
    var clock = try Self.clock(lastRecord: "2034-11-07T00:00:00Z")
    let date = try #require(Timestamp(iso8601: "2026-11-29T06:10:00Z"))
    for second in 0..<20_000 as Range<Int64> {
      let reading = clock.read(
        timestamp: date, millisecondOfDay: nil, arrival: .zero + .seconds(100 + second),
        systemClock: Timestamp(milliseconds: 0))
      #expect(reading.timestamp == nil)
    }
  }

  struct Jump: Sendable {
    /// Seconds for which the clock ran before the jump.
    var known: Int64
    /// Seconds of dates that agree until the clock steps.
    var needed: Int64
    var system = DateBoundsTests.unset
    var isSynchronised = false
  }

  static let jumps = [
    Jump(known: 1, needed: 1), Jump(known: 8, needed: 8), Jump(known: 60, needed: 60),
    Jump(known: 1800, needed: 1800), Jump(known: 3600, needed: 3600), Jump(known: 86_000, needed: 3600),
    // The host's clock shows the new date.
    Jump(known: 86_000, needed: 10, system: "2027-03-01T00:00:00Z"),
    Jump(known: 86_000, needed: 1, system: "2027-03-01T00:00:00Z", isSynchronised: true),
    // It shows the known one.
    Jump(known: 60, needed: 60, system: "2026-11-29T06:10:00Z"),
  ]

  @Test(arguments: jumps) func theBetterTheClockWasKnownTheMoreEvidenceAJumpNeeds(_ test: Jump) throws {
    var clock = try Self.clock()
    let start = try #require(Timestamp(iso8601: "2026-11-29T06:10:00Z"))
    let later = try #require(Timestamp(iso8601: "2027-03-01T00:00:00Z"))
    let system = try #require(Timestamp(iso8601: test.system))
    for second in 0...test.known {
      let time = start + .seconds(second)
      _ = clock.read(
        timestamp: time, millisecondOfDay: Int32(time.millisecondOfDay),
        arrival: .zero + .seconds(100 + second), systemClock: start + .seconds(second))
    }
    var needed: Int64?
    for second in 0..<4000 as Range<Int64> {
      let time = later + .seconds(second)
      let arrival = Moment.zero + .seconds(101 + test.known + second)
      let reading = clock.read(
        timestamp: time, millisecondOfDay: Int32(time.millisecondOfDay), arrival: arrival,
        systemClock: system, isSynchronised: test.isSynchronised)
      if reading.trust == .confirmsDoubt {
        needed = second
        break
      }
      // Until then fixes are held, or dated by the clock.
      guard case .doubtful = reading.trust else {
        let elapsed = try #require(reading.timestamp) - start
        #expect(elapsed.wholeSeconds == test.known + 1 + second || second < 10)
        continue
      }
      #expect(second < 10)
    }
    #expect(needed == test.needed)
  }

  /// Two wrong dates at the start, while the host's clock is set.
  @Test(arguments: [1, 2, 3, 8] as [Int64])
  func wrongFirstDatesOfTheFutureDateNothing(count: Int64) throws {
    var clock = try Self.clock()
    let right = try #require(Timestamp(iso8601: "2026-11-29T06:10:00Z"))
    for second in 0..<(count + 3) {
      let time = right + .seconds(second) + (second < count ? .seconds(2900 * 86_400) : .zero)
      let reading = clock.read(
        timestamp: time, millisecondOfDay: Int32(time.millisecondOfDay), arrival: .zero + .seconds(second),
        systemClock: right + .seconds(86_000))
      #expect(reading.timestamp == (second < count ? nil : time))
    }
  }

  /// A clock chip counts within the limits only; a time service is believed after the release.
  @Test(arguments: [
    ("2026-11-29T00:00:00Z", ClockQuality.clockChip, true), ("2019-04-17T00:00:00Z", .clockChip, false),
    ("2080-01-01T00:00:00Z", .clockChip, false), ("2026-11-25T00:00:00Z", .clockChip, false),
    ("2026-11-25T00:00:00Z", .network, true), ("2019-04-17T00:00:00Z", .network, false),
    ("2036-01-01T00:00:00Z", .clockChip, true), ("2026-11-29T00:00:00Z", .saved, false),
  ])
  func anotherClockIsAdoptedWithinTheLimits(time: String, quality: ClockQuality, isAdopted: Bool) throws {
    var clock = try Self.clock(lastRecord: "2026-11-28T00:00:00Z")
    let time = try #require(Timestamp(iso8601: time))
    #expect((clock.adopt(time, quality: quality, at: .zero) != nil) == isAdopted)
  }
}
