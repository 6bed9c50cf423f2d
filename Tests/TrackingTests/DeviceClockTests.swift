import DaySupport
import Quantities
import Records
import Testing
import GNSSProtocol
import Tracking

@Suite struct DeviceClockTests {
  /// Fixes with the time of day alone, then the date; arrivals up to 800 ms late.
  @Test(arguments: 0..<50 as Range<UInt64>)
  func undatedRecordsAreDatedExactlyDespiteUnevenArrival(seed: UInt64) {
    var random = SplitMix64(seed: seed)
    let drill = Drill(minTime: .zero)
    let boot = drill.now
    var expected: [Int64] = []
    let dateAt = Int.random(in: 1...300, using: &random)
    var second: Int64 = 50_300  // Over midnight.
    for index in 0...dateAt {
      // Sometimes a tunnel, up to twenty minutes long.
      second +=
        Int.random(in: 0..<20, using: &random) == 0
        ? [2, 11, 60, 1200].randomElement(using: &random) ?? 1 : 1
      let time = Fix.start + .seconds(second)
      drill.now = boot + .seconds(second) + .milliseconds(Int.random(in: -400...400, using: &random))
      drill.handle(.epoch(index == dateAt ? Fix(time) : Fix(time).undated, systemClock: drill.systemClock))
      expected.append(time.milliseconds)
    }
    #expect(drill.times == expected)
    #expect(drill.locations.dropLast().allSatisfy { $0.time == nil && $0.timeQuality == .none })
    #expect(drill.locations.last?.timeQuality == .receiver)
    #expect(drill.events.map(\.kind) == [.clockSet])
  }

  /// The same for a recording without dates that is played fast.
  @Test(arguments: [1, 20, 1000] as [Int64])
  func aRecordingPlayedFastIsDatedExactlyToo(pause: Int64) {
    let drill = Drill()
    drill.handle(.started(lastLocation: nil))
    let spans: [Range<Int64>] = [0..<100, 160..<300, 4000..<4100]
    let milliseconds = spans.joined().map { $0 * 1000 }
    let fixes = Fix.series(milliseconds)
    drill.handle(fixes.dropLast(50).map(\.undated), pause: .milliseconds(pause))
    drill.handle(Array(fixes.suffix(50)), pause: .milliseconds(pause))
    #expect(drill.times == fixes.compactMap { $0.timestamp?.milliseconds })
    #expect(drill.events.map(\.kind) == [.started, .clockSet])
  }

  /// The rule between two fixes also applies if the date comes with a fix that is not recorded.
  @Test func theFirstDatedFixIsComparedWithTheLastUndatedRecord() {
    let drill = Drill(minTime: .seconds(10))
    let fixes = Fix.series((0..<60).map { $0 * 1000 })
    drill.handle(fixes.prefix(34).map(\.undated), pause: .milliseconds(1))
    drill.handle(Array(fixes.suffix(26)), pause: .milliseconds(1))
    #expect(drill.times.map { ($0 - Fix.start.milliseconds) / 1000 } == [0, 10, 20, 30, 40, 50])
    #expect(drill.tracker.locations.last?.time == Fix.start + .seconds(50))
  }

  @Test func theLastLocationIsDatedWithTheOthers() {
    let drill = Drill(minTime: .seconds(10))
    drill.handle([Fix(Fix.start).undated, Fix(Fix.start + .seconds(1))])
    #expect(drill.tracker.locations.last?.time == Fix.start)
    #expect(drill.tracker.locations.last?.timeQuality == .receiver)
  }

  /// No record may remain undated for ever.
  @Test(arguments: [
    ("2026-03-21T10:00:05Z", "2026-03-21T10:00:05Z"), ("2026-03-21T23:59:59Z", "2026-03-21T23:59:59Z"),
    ("2026-03-22T00:00:01Z", "2026-03-22T00:00:01Z"),
  ])
  func anUndatedFixAfterTheDateIsDatedByItsTimeOfDay(time: String, dated: String) throws {
    let drill = Drill()
    drill.handle([Fix(Fix.start)])
    let fix = Fix(time)
    let later = try #require(fix.timestamp) - Fix.start
    drill.now = drill.now + later + .milliseconds(-700)
    drill.handle([fix.undated])
    #expect(drill.locations.last?.time == Timestamp(iso8601: dated))
    #expect(drill.events.map(\.kind) == [.clockSet])
  }

  @Test func aFixWithoutAnyTimeIsDatedByItsArrival() {
    let drill = Drill()
    drill.handle([Fix(Fix.start)])
    var fix = Fix(Fix.start)
    fix.timestamp = nil
    fix.millisecondOfDay = nil
    drill.now = drill.now + .seconds(4)
    drill.handle([fix])
    #expect(drill.locations.last?.time == Fix.start + .seconds(5))
  }

  @Test func aDateWithoutAFixSetsNothing() {
    let drill = Drill()
    drill.handle([Fix("1980-01-06T00:00:12Z").lost, Fix(Fix.start).undated])
    #expect(drill.offset == nil)
    #expect(drill.tracker.fixes.clock.quality == .none)
    drill.handle([Fix(Fix.start + .seconds(1))])
    #expect(drill.times == [Fix.start.milliseconds, Fix.start.milliseconds + 1000])
  }

  @Test func theBootClockDistinguishesUndatedFixesADayApart() {
    let drill = Drill()
    drill.handle([Fix(Fix.start).undated])
    drill.now = drill.now + .seconds(259_299)
    drill.handle([Fix(Fix.start + .seconds(259_300)).undated])
    drill.now = drill.now + .seconds(1)
    drill.handle([Fix(Fix.start + .seconds(259_302))])
    let expected: [Int64] = [0, 259_300, 259_302]
    #expect(drill.times.map { ($0 - Fix.start.milliseconds) / 1000 } == expected)
  }

  @Test func aClockStepIsLoggedWithItsSizeUnlessItIsSmall() {
    let drill = Drill()
    let seconds: [Int64] = [0, 1, 4, 5, 3605, 3606, 6, 7]
    drill.handle(Fix.series(seconds.map { $0 * 1000 }))
    let steps = drill.events.filter { $0.kind == .clockStepped }
    #expect(steps.compactMap(\.value) == [3_599_000, -3_601_000])
  }

  /// Undated records, and the next run of the program, use the last time of the receiver.
  @Test func aClockStepAppliesToUndatedRecords() {
    let drill = Drill()
    let boot = Fix.start.milliseconds - drill.now.nanoseconds / 1_000_000
    let tenHours: Int64 = 36_000_000
    let wrong = (0..<30).map { $0 * 1000 - tenHours }
    drill.handle(Fix.series(wrong))
    #expect(drill.offsets == [boot - tenHours])
    drill.handle(Fix.series((30..<200).map { $0 * 1000 }))
    #expect(drill.offsets == [boot - tenHours, boot])
    #expect(drill.times.prefix(31).map { $0 - Fix.start.milliseconds } == wrong + [30_000])
  }

  /// A second step soon after the first is not logged; dating by the clock follows it nevertheless.
  @Test func theLastOfSeveralClockStepsCounts() {
    let drill = Drill()
    let boot = Fix.start.milliseconds - drill.now.nanoseconds / 1_000_000
    drill.handle(Fix.series([-36_000_000, -35_999_000, -3_598_000, -3_597_000]))
    drill.handle(Fix.series((4..<200).map { $0 * 1000 }))
    #expect(drill.events.filter { $0.kind == .clockStepped }.count == 1)
    #expect(drill.offsets.last == boot)
    #expect(drill.offsets.count <= 3)
  }

  /// A crystal with an error of 50 ppm loses four seconds a day.
  @Test func aSlowBootClockIsCorrectedEveryDayOrTwo() {
    let drill = Drill(minTime: .seconds(600))
    let days: Int64 = 10
    for minute in 0..<(days * 1440) {
      let time = minute * 60_000
      drill.handle(.epoch(Fix(Fix.start + .milliseconds(time)), systemClock: drill.systemClock))
      drill.now = drill.now + .milliseconds(59_997)
    }
    #expect(drill.events.allSatisfy { $0.kind != .clockStepped })
    #expect((5...9).contains(drill.offsets.count))
  }

  /// Ten seconds between fixes, played a thousand times faster.
  @Test func aRecordingPlayedFastDoesNotFillTheLogWithClockSteps() {
    let drill = Drill()
    drill.handle(Fix.series((0..<3600).map { $0 * 10_000 }), pause: .milliseconds(10))
    #expect(drill.locations.count == 3600)
    #expect(drill.events.filter { $0.kind == .clockStepped }.count == 1)
    #expect(drill.offsets.count == 2)
  }

  /// One wrong date among good ones: 2080, 2019, the years 1 and 9999.
  @Test(arguments: [
    "2080-01-31T10:00:02Z", "2019-04-07T10:00:02Z", "0001-01-01T10:00:02Z", "9999-12-31T10:00:02Z",
  ])
  func oneWrongDateDatesNothing(wrong: String) {
    let drill = Drill()
    drill.handle(Fix.series([0, 1000]))
    drill.handle([Fix(wrong)])
    drill.handle(Fix.series([3000, 4000]))
    drill.wait(.seconds(700))
    #expect(drill.times.allSatisfy { (0...4000).contains($0 - Fix.start.milliseconds) })
    #expect(drill.locations.count >= 4 && !drill.events.contains { $0.kind == .clockStepped })
    #expect(
      drill.locations.count == 5 || drill.rejections.contains { $0.fields.rejected("impossible_time") > 0 })
  }

  @Test func aJumpThatHoldsIsAcceptedAndNothingIsLost() {
    let drill = Drill()
    let later = Int64(40) * 86_400_000
    drill.handle(Fix.series([0, 1000, later, later + 1000, later + 2000]))
    let expected: [Int64] = [0, 1000, later, later + 1000, later + 2000]
    #expect(drill.times.map { $0 - Fix.start.milliseconds } == expected)
    #expect(drill.events.filter { $0.kind == .clockStepped }.count == 1)
  }

  @Test func aFirstDateInTheFutureRequiresConfirmation() throws {
    let drill = Drill()
    drill.systemClock = try #require(Timestamp(iso8601: "2027-01-01T00:00:00Z"))
    drill.handle([Fix("2079-12-31T09:59:59Z")])
    #expect(drill.offset == nil && drill.tracker.fixes.clock.quality == .none)
    drill.handle(Fix.series([0, 1000]))
    let expected: [Int64] = [-1000, 0, 1000]
    #expect(drill.times.map { $0 - Fix.start.milliseconds } == expected)
  }

  /// The system clock may come from a file of the last shutdown. Nothing is lost meanwhile.
  @Test func tenSecondsOfDatesAreAcceptedAgainstTheSystemClock() throws {
    let drill = Drill()
    drill.systemClock = try #require(Timestamp(iso8601: "2027-01-01T00:00:00Z"))
    let start = try #require(Timestamp(iso8601: "2031-05-01T10:00:00Z"))
    drill.handle((0..<10).map { Fix(start + .seconds($0)) })
    #expect(drill.tracker.fixes.clock.quality == .none)
    drill.handle([Fix(start + .seconds(10))])
    #expect(drill.tracker.fixes.clock.quality == .receiver)
    #expect(drill.times == (0...10).map { start.milliseconds + $0 * 1000 })
  }

  @Test func aFaultyReceiverClockIsLoggedOnceAMinute() {
    let drill = Drill()
    drill.handle(Fix.series((0..<600).map { $0 * 50 + ($0 % 2 == 0 ? 0 : 30_000) }), pause: .milliseconds(50))
    #expect(drill.events.filter { $0.kind == .clockStepped }.count == 2)
  }

  @Test func onlyASteadyClockMayDelete() {
    let drill = Drill()
    drill.handle(Fix.series((0..<60).map { $0 * 1000 }))
    #expect(drill.tracker.fixes.clock.steadyTimestamp(at: drill.now - .seconds(1)) == nil)
    drill.handle(Fix.series((60..<70).map { $0 * 1000 }))
    #expect(drill.tracker.fixes.clock.steadyTimestamp(at: drill.now) != nil)
    drill.handle(Fix.series([3_600_000, 3_601_000]))
    #expect(drill.tracker.fixes.clock.steadyTimestamp(at: drill.now) == nil)
  }

  @Test(arguments: 0..<32 as Range<UInt64>)
  func extremeTimesDoNotTrap(seed: UInt64) {
    var random = SplitMix64(seed: seed)
    var clock = DeviceClock()
    // The years 1 and 9999, the limits of a receiver's date, and any moment.
    let extremes: [Int64] = [-62_135_596_800_000, -1, 0, 1, 1_774_087_200_000, 253_402_300_799_999]
    let moments: [Int64] = [.min, -1, 0, 1, 1_000_000_000_000, .max]
    for _ in 0..<500 {
      let time = Bool.random(using: &random) ? extremes.randomElement(using: &random) : nil
      let ofDay = [nil, Int32.min, -1, 0, 86_400_999, .max].randomElement(using: &random) ?? nil
      let reading = clock.read(
        timestamp: time.map(Timestamp.init(milliseconds:)), millisecondOfDay: ofDay,
        arrival: Moment(nanoseconds: moments.randomElement(using: &random) ?? 0),
        systemClock: Timestamp(milliseconds: extremes.randomElement(using: &random) ?? 0))
      _ = clock.timestamp(at: reading.moment)
    }
  }
}

@Suite struct WeekRolloverTests {
  struct Case: Sendable {
    var time: String
    var systemClock: String
    var repaired: String
  }

  static let unset = "1970-01-01T00:00:00Z"

  static let cases = [
    Case(time: "2006-08-05T10:00:00Z", systemClock: unset, repaired: "2026-03-21T10:00:00Z"),
    Case(time: "2006-08-05T10:00:00Z", systemClock: "2027-01-01T00:00:00Z", repaired: "2026-03-21T10:00:00Z"),
    // A system clock later than the release limits the repair.
    Case(time: "2007-08-05T10:00:00Z", systemClock: "2027-01-01T00:00:00Z", repaired: "2007-08-05T10:00:00Z"),
    // An earlier or unset one does not limit it.
    Case(time: "2007-08-05T10:00:00Z", systemClock: "2026-01-01T00:00:00Z", repaired: "2027-03-21T10:00:00Z"),
    Case(time: "1986-12-20T10:00:00Z", systemClock: unset, repaired: "2026-03-21T10:00:00Z"),
    Case(time: "2016-12-31T23:59:59Z", systemClock: unset, repaired: "2036-08-16T23:59:59Z"),
    Case(time: "2017-01-01T00:00:00Z", systemClock: unset, repaired: "2017-01-01T00:00:00Z"),
    Case(time: "2026-03-21T10:00:00Z", systemClock: unset, repaired: "2026-03-21T10:00:00Z"),
    // Nothing is subtracted: a time in the future remains.
    Case(time: "2045-11-04T10:00:00Z", systemClock: "2027-01-01T00:00:00Z", repaired: "2045-11-04T10:00:00Z"),
  ]

  @Test(arguments: cases)
  func theRepairAddsAMultipleOf1024WeeksOrNothing(_ test: Case) throws {
    let time = try #require(Timestamp(iso8601: test.time))
    let systemClock = try #require(Timestamp(iso8601: test.systemClock))
    let repaired = WeekRollover.repair(time, latest: WeekRollover.latest(systemClock: systemClock))
    #expect(repaired.iso8601() == test.repaired)
  }

  @Test func theWeekRepairIsLoggedOnceAndTheRecordsAreCorrect() {
    let drill = Drill()
    drill.handle([Fix("2006-08-05T10:00:00Z"), Fix("2006-08-05T10:00:01Z")])
    #expect(drill.times == [Fix.start.milliseconds, Fix.start.milliseconds + 1000])
    #expect(drill.events.map(\.kind) == [.weekRepaired, .clockSet])
    #expect(drill.events.first?.value == 7168)
  }
}
