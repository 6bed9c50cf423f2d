import History
import Quantities
import Records
import Testing
import TextSnapshots

@testable import outrider

/// Tests the search for gaps and the reasons that `outrider why` prints for them.
@Suite struct WhyTests {
  private static let utc = WallClock { _ in .zero }
  private static let start = Timestamp(milliseconds: 1_772_000_000_000)

  private func location(_ seconds: Int, north: Double = 0) throws -> LogRecord {
    let coordinate = try #require(Coordinate(latitude: 52 + north / 111_195, longitude: 13))
    return record(seconds, .location(LocationRecord(coordinate: coordinate, deviceID: "van")))
  }

  /// The expected output of the command.
  private static let texts = TextSnapshot("why")
  private static let asleep: EventFields = [.cause: "stationary"]
  private static let unplugged: EventFields = [.port: "/dev/ttyACM0", .reason: "unplugged"]

  private func event(_ seconds: Int, _ kind: EventKind, _ fields: EventFields = [:]) -> LogRecord {
    record(seconds, .event(EventRecord(kind, fields)))
  }

  private func rejected(_ reason: String, _ count: Int64, last: String? = nil) -> EventFields {
    [
      .count: .integer(count), .rejections: .counts([reason: count]),
      .lastValues: last.map { .texts([reason: $0]) },
    ]
  }

  private func expect(_ lines: [String], _ name: String) {
    let text = lines.joined(separator: "\n")
    #expect(text == Self.texts.expected(name, text))
  }

  private func record(_ seconds: Int, _ body: LogRecord.Body) -> LogRecord {
    LogRecord(moment: .zero, time: Self.start + .seconds(seconds), timeQuality: .receiver, body: body)
  }

  private func gaps(_ records: [LogRecord], end: Int? = nil) -> [GapSearch.Gap] {
    var search = GapSearch(longest: .seconds(120))
    let gaps = records.flatMap { search.take($0) }
    return gaps + search.finish(at: end.map { Self.start + .seconds($0) })
  }

  @Test func aSleepingReceiverExplainsGapsUntilTwoConsecutiveLocations() throws {
    let found = gaps([
      try location(0), event(5, .receiverAsleep, Self.asleep), try location(1000),
      try location(2000, north: 300), try location(2001), try location(3000),
    ])
    #expect(found.map { $0.reasons.map(\.kind) } == [["receiver_resting"], ["receiver_resting"], []])
    #expect(found[1].metres.map { abs($0 - 300) < 1 } == true)
    expect(WhyCommand.lines(found[2], clock: Self.utc), "no reason")
    expect(WhyCommand.lines(found[1], clock: Self.utc), "receiver asleep")
  }

  @Test func aSleepThatIsRecordedBeforeTheLastLocationExplainsTheGap() throws {
    let found = gaps([
      try location(9), event(10, .receiverAsleep, Self.asleep), try location(10),
      event(990, .fixesRejected, rejected("no_fix", 990)), try location(1000), try location(1001),
      try location(2000),
    ])
    #expect(found.map { $0.reasons.map(\.kind) } == [["receiver_resting", "fixes_rejected"], []])
  }

  @Test func rejectionsReportedAfterAGapAreItsPossibleReason() throws {
    let found = gaps([
      try location(0), try location(300), event(500, .fixesRejected, rejected("accuracy", 290, last: "80")),
      try location(301 + 600), event(902 + 700, .fixesRejected),
    ])
    #expect(found.first?.reasons.isEmpty == true, "it was reported after the gap")
    #expect(found.first?.perhaps?.fields == rejected("accuracy", 290, last: "80"))
    expect(WhyCommand.lines(try #require(found.first), clock: Self.utc), "rejections reported after the gap")
  }

  @Test func rejectionsReportedAfterAGapWithAReasonAreNotListed() throws {
    let found = gaps([
      try location(0), event(60, .receiverLost, Self.unplugged), try location(300),
      event(899, .fixesRejected, rejected("accuracy", 290)), try location(1000),
    ])
    let gap = try #require(found.first)
    #expect(gap.reasons.map(\.kind) == ["receiver_lost"] && gap.perhaps == nil)
    #expect(!WhyCommand.json(gap).contains("accuracy"))
  }

  @Test func aReconstructedTripIsNamedWithItsGap() throws {
    func trip(_ from: Int, _ to: Int, isReconstructed: Bool = true) -> LogRecord {
      var trip = TripRecord(
        mode: .car, start: .utc(Self.start + .seconds(from)), end: .utc(Self.start + .seconds(to)),
        durationMilliseconds: 0, distanceMillimetres: 1_400_000, isManual: false, ending: .noFix,
        device: DeviceState(deviceID: "van"))
      trip.isReconstructed = isReconstructed
      return record(to + 5, .trip(trip))
    }
    let found = gaps([
      try location(0), event(5, .receiverAsleep, Self.asleep), try location(1000, north: 1400),
      try location(1001, north: 1400), trip(600, 998), try location(2000),
      trip(1001, 2000, isReconstructed: false),
    ])
    #expect(found.map(\.reconstructedMetres) == [1400, nil])
    expect(WhyCommand.lines(found[0], clock: Self.utc), "reconstructed trip")
    #expect(WhyCommand.json(found[0]).contains("1.4 km"))
  }

  @Test func everyGapIsOneSentenceWithDistinctCauses() throws {
    let found = gaps([
      try location(0), event(10, .receiverSilent, [.duration: 10]),
      event(20, .receiverSilent, [.duration: 20]),
      event(30, .stopped), event(200, .started, [.version: "1.0", .cause: "orderly_stop"]), try location(300),
    ])
    let lines = WhyCommand.lines(try #require(found.first), clock: Self.utc)
    #expect(lines.count == 1)
    expect(lines, "two causes")
    let json = WhyCommand.json(found[0])
    #expect(json.contains(#""sentence":""#) && json.contains(#""fields":{"duration_s":10}"#), "\(json)")
  }

  @Test func repeatedReportsOfNoFixAreOneCause() throws {
    let found = gaps([
      try location(0), event(600, .fixesRejected, rejected("no_fix", 599)),
      event(1200, .fixesRejected, rejected("no_fix", 600)),
      try location(1300),
    ])
    let gap = try #require(found.first)
    expect(WhyCommand.lines(gap, clock: Self.utc), "no fix")
  }

  @Test func anImpossibleDistanceIsNotPrintedInMetres() throws {
    let found = gaps([try location(0), try location(400, north: 2_000_000)])
    let gap = try #require(found.first)
    let line = try #require(WhyCommand.lines(gap).first)
    #expect(!line.contains("2000"), "\(line)")
    expect(WhyCommand.lines(gap, clock: Self.utc), "impossible distance")
  }

  @Test func timesAreLocalWithTheirOffset() throws {
    let gap = try #require(gaps([try location(0), try location(400)]).first)
    let line = WhyCommand.lines(gap, clock: WallClock { _ in .seconds(7200) })[0]
    #expect(line.hasPrefix("2026-02-25T08:13:20+02:00 to 2026-02-25T08:20:00+02:00"), "\(line)")
  }

  @Test func stopAndStartAreListedInOrder() throws {
    let found = gaps([
      try location(0), event(1, .receiverAsleep, Self.asleep), event(10, .stopped), event(900, .started),
      event(905, .deliveryFailing, [.destination: "home", .reason: "unrelated"]), try location(1000),
      try location(2000),
    ])
    #expect(found.map { $0.reasons.map(\.kind) } == [["receiver_resting", "stopped", "started"], []])
  }

  @Test func aGapAtTheEndOfTheLogHasNoEnd() throws {
    let found = gaps([try location(0), event(60, .receiverLost, Self.unplugged)], end: 4000)
    #expect(found.count == 1 && found[0].to == nil)
    expect(WhyCommand.lines(found[0], clock: Self.utc), "gap without end")
    #expect(WhyCommand.json(found[0]).contains("\"kind\":\"receiver_lost\""))
    #expect(gaps([try location(0)], end: 100).isEmpty)
  }

  @Test func reasonsBeyondTheLimitAreCounted() throws {
    let failures = (1...50).map { event($0, .receiverSilent) }
    let found = gaps([try location(0)] + failures + [try location(500)])
    #expect(found[0].reasons.count == GapSearch.mostReasons && found[0].more == 50 - GapSearch.mostReasons)
    expect(WhyCommand.lines(found[0], withEvents: true, clock: Self.utc).suffix(2), "more events")
    #expect(WhyCommand.lines(found[0]).count == 1)
  }

  @Test func aTimeThatGoesBackIsNotAGap() throws {
    #expect(gaps([try location(1000), try location(0), try location(1001)]).isEmpty)
  }

  @Test func dropsByRecordingRulesExplainGapsUntilTheSettingsChange() throws {
    let found = gaps([
      try location(0), event(120, .fixesLeftOut, rejected("min_distance", 119, last: "3.0 m")),
      try location(400),
      try location(800), event(900, .receiverLost, Self.unplugged), try location(1200),
      event(1201, .configurationChanged, [.changes: .list(["main.min_distance: off (file)"])]),
      try location(1600),
      try location(2000),
    ])
    #expect(
      found.map { $0.reasons.map(\.kind) } == [
        ["fixes_left_out"], ["fixes_left_out"], ["receiver_lost"], ["configuration_changed"], [],
      ])
    #expect(found[1].reasons == found[0].reasons, "with the time of the report")
    let late = gaps([
      try location(0), event(120, .fixesLeftOut), try location(400), try location(460), try location(4000),
      try location(4800),
    ])
    #expect(late.map(\.reasons.isEmpty) == [false, false, true], "there would have been another report")
    let after = gaps([
      try location(0), event(120, .fixesLeftOut), try location(400), event(401, .started), try location(402),
      try location(800),
    ])
    #expect(after.last?.reasons.isEmpty == true)
  }

  @Test func aGapWithoutReasonMentionsPrivacyZones() throws {
    let gap = try #require(gaps([try location(0), try location(400)]).first)
    expect(WhyCommand.lines(gap, hasPrivacyZones: true, clock: Self.utc), "no reason, with privacy zones")
  }

  @Test func aGapAfterABackwardClockStepIsFound() throws {
    let found = gaps([
      try location(90_000), try location(90_001), event(100, .clockStepped), try location(101),
      event(102, .receiverLost), try location(600),
    ])
    #expect(found.map { $0.reasons.map(\.kind) } == [["receiver_lost"]])
  }

  @Test func aLogWithoutLocationsIsSummarized() throws {
    var search = GapSearch(longest: .seconds(120))
    expect(WhyCommand.withoutGap(search, longest: .seconds(120), since: nil), "empty log")
    _ = search.take(
      LogRecord(
        moment: .zero, time: nil, timeQuality: .none, body: .event(EventRecord(.started, [.version: "1.0"]))))
    _ = search.take(event(600, .fixesRejected, rejected("no_fix", 600)))
    #expect(search.finish(at: Self.start + .seconds(600)).isEmpty)
    expect(
      WhyCommand.withoutGap(search, longest: .seconds(120), since: Self.start, clock: Self.utc),
      "log without locations")
    _ = search.take(try location(700))
    expect(WhyCommand.withoutGap(search, longest: .seconds(120), since: nil), "no gap")
  }
}
