import Quantities
import Records
import Testing

@testable import outrider

/// Why points are missing, by what the log says.
@Suite struct WhyTests {
  private static let utc = WallClock { _ in .zero }
  private static let start = Timestamp(milliseconds: 1_772_000_000_000)

  private func location(_ seconds: Int, north: Double = 0) throws -> LogRecord {
    let place = try #require(Coordinate(latitude: 52 + north / 111_195, longitude: 13))
    return record(seconds, .location(LocationRecord(coordinate: place, deviceID: "van")))
  }

  private func event(_ seconds: Int, _ kind: EventKind, _ detail: String = "") -> LogRecord {
    record(seconds, .event(EventRecord(kind, detail: detail)))
  }

  private func record(_ seconds: Int, _ body: LogRecord.Body) -> LogRecord {
    LogRecord(moment: .zero, time: Self.start + .seconds(seconds), timeQuality: .receiver, body: body)
  }

  private func gaps(_ records: [LogRecord], end: Int? = nil) -> [GapSearch.Gap] {
    var search = GapSearch(longest: .seconds(120))
    let gaps = records.flatMap { search.take($0) }
    return gaps + search.finish(at: end.map { Self.start + .seconds($0) })
  }

  @Test func aRestIsWhyUntilTwoLocationsFollowEachOther() throws {
    let found = gaps([
      try location(0), event(5, .receiverResting, "nothing moves"), try location(1000),
      try location(2000, north: 300), try location(2001), try location(3000),
    ])
    #expect(found.map { $0.reasons.map(\.kind) } == [["receiver_resting"], ["receiver_resting"], []])
    #expect(found[1].metres.map { abs($0 - 300) < 1 } == true)
    #expect(WhyCommand.lines(found[2]).last?.hasSuffix(": the log does not say why") == true)
    #expect(
      WhyCommand.lines(found[1], clock: Self.utc)
        == [
          "2026-02-25T06:30:00Z to 2026-02-25T06:46:40Z, 16 min, 300 m: the receiver was asleep by plan (nothing moves)"
        ])
  }

  @Test func rejectionsThatAreReportedAfterTheGapBelongToIt() throws {
    let found = gaps([
      try location(0), try location(300), event(500, .fixesRejected, "too_inaccurate 290 (last 80)"),
      try location(301 + 600), event(902 + 700, .fixesRejected, "late"),
    ])
    #expect(found.map { $0.reasons.map(\.detail) }.first == [], "it lies behind the gap")
    #expect(found.first?.perhaps?.detail == "too_inaccurate 290 (last 80)")
    #expect(
      WhyCommand.lines(try #require(found.first), clock: Self.utc).last?.contains(
        "perhaps fixes were rejected (too_inaccurate 290 (last 80), counted over the ten minutes before")
        == true)
  }

  @Test func aCauseThatIsReportedBehindAGapWithAReasonIsNotListed() throws {
    let found = gaps([
      try location(0), event(60, .receiverLost, "unplugged"), try location(300),
      event(899, .fixesRejected, "too_inaccurate 290 (last 80)"), try location(1000),
    ])
    let gap = try #require(found.first)
    #expect(gap.reasons.map(\.kind) == ["receiver_lost"] && gap.perhaps == nil)
    #expect(!WhyCommand.json(gap).contains("too_inaccurate"))
  }

  @Test func aGapInWhichATripIsReconstructedSaysSo() throws {
    func trip(_ from: Int, _ to: Int, isReconstructed: Bool = true) -> LogRecord {
      var trip = TripRecord(
        mode: .car, start: .utc(Self.start + .seconds(from)), end: .utc(Self.start + .seconds(to)),
        durationMilliseconds: 0, distanceMillimetres: 1_400_000, isManual: false, ending: .noFix,
        device: DeviceState(deviceID: "van"))
      trip.isReconstructed = isReconstructed
      return record(to + 5, .trip(trip))
    }
    let found = gaps([
      try location(0), event(5, .receiverResting, "nothing moves"), try location(1000, north: 1400),
      try location(1001, north: 1400), trip(600, 998), try location(2000),
      trip(1001, 2000, isReconstructed: false),
    ])
    #expect(found.map(\.reconstructedMetres) == [1400, nil])
    let line = try #require(WhyCommand.lines(found[0], clock: Self.utc).first)
    #expect(
      line.hasSuffix(
        "the receiver was asleep by plan (nothing moves); reconstructed: a trip of 1.4 km in a straight line"),
      "\(line)")
    #expect(WhyCommand.json(found[0]).contains("reconstructed: a trip of 1.4 km"))
  }

  @Test func eachGapIsOneSentenceWithEachCauseOnce() throws {
    let found = gaps([
      try location(0), event(10, .receiverSilent, "10 s"), event(20, .receiverSilent, "20 s"),
      event(30, .stopped), event(200, .started, "after an orderly stop"), try location(300),
    ])
    let lines = WhyCommand.lines(try #require(found.first), clock: Self.utc)
    #expect(lines.count == 1)
    #expect(
      lines[0].hasSuffix("0 m: the receiver sent nothing (10 s), then the logger was stopped"), "\(lines)")
    #expect(WhyCommand.json(found[0]).contains(#""sentence":"the receiver sent nothing (10 s), then"#))
  }

  @Test func aReceiverWithoutFixIsNamedOnceHoweverOftenItIsReported() throws {
    let found = gaps([
      try location(0), event(600, .fixesRejected, "no_fix 599"), event(1200, .fixesRejected, "no_fix 600"),
      try location(1300),
    ])
    let gap = try #require(found.first)
    #expect(WhyCommand.lines(gap)[0].hasSuffix(": the receiver had no fix (no_fix 599)"))
  }

  @Test func aDistanceThatNothingCoversIsNotGivenInMetres() throws {
    let found = gaps([try location(0), try location(400, north: 2_000_000)])
    let gap = try #require(found.first)
    let line = try #require(WhyCommand.lines(gap).first)
    #expect(line.contains("cannot be reached in that time") && !line.contains("2000"), "\(line)")
  }

  @Test func timesAreThoseOfTheClockOnTheWallWithTheirZone() throws {
    let gap = try #require(gaps([try location(0), try location(400)]).first)
    let line = WhyCommand.lines(gap, clock: WallClock { _ in .seconds(7200) })[0]
    #expect(line.hasPrefix("2026-02-25T08:13:20+02:00 to 2026-02-25T08:20:00+02:00"), "\(line)")
  }

  @Test func aStopAndAStartAreToldInTheirOrder() throws {
    let found = gaps([
      try location(0), event(1, .receiverResting, "nothing moves"), event(10, .stopped), event(900, .started),
      event(905, .deliveryFailing, "no part of it"), try location(1000), try location(2000),
    ])
    #expect(found.map { $0.reasons.map(\.kind) } == [["receiver_resting", "stopped", "started"], []])
  }

  @Test func whatIsStillGoingOnIsAGapWithoutEnd() throws {
    let found = gaps([try location(0), event(60, .receiverLost, "unplugged")], end: 4000)
    #expect(found.count == 1 && found[0].to == nil)
    #expect(WhyCommand.lines(found[0])[0].hasSuffix("no location since: the receiver was gone (unplugged)"))
    #expect(WhyCommand.json(found[0]).contains("\"kind\":\"receiver_lost\""))
    #expect(gaps([try location(0)], end: 100).isEmpty)
  }

  @Test func aLogThatFailsOftenIsCounted() throws {
    let failures = (1...50).map { event($0, .receiverSilent) }
    let found = gaps([try location(0)] + failures + [try location(500)])
    #expect(found[0].reasons.count == GapSearch.mostReasons && found[0].more == 50 - GapSearch.mostReasons)
    #expect(WhyCommand.lines(found[0], withEvents: true).last == "  and 38 more events")
    #expect(WhyCommand.lines(found[0]).count == 1)
  }

  @Test func timeThatRunsBackIsNoGap() throws {
    #expect(gaps([try location(1000), try location(0), try location(1001)]).isEmpty)
  }

  @Test func whatRulesLeaveOutIsAReasonUntilTheSettingsChange() throws {
    let found = gaps([
      try location(0), event(120, .fixesLeftOut, "min_distance 119 (last 3.0 m)"), try location(400),
      try location(800), event(900, .receiverLost, "unplugged"), try location(1200),
      event(1201, .configurationChanged, "main.min_distance: off (file)"), try location(1600),
      try location(2000),
    ])
    #expect(
      found.map { $0.reasons.map(\.kind) } == [
        ["fixes_left_out"], ["fixes_left_out"], ["receiver_lost"], ["configuration_changed"], [],
      ])
    #expect(found[1].reasons == found[0].reasons, "with the time at which it was told")
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

  @Test func aGapWithoutReasonMayBeAPrivacyZone() throws {
    let gap = try #require(gaps([try location(0), try location(400)]).first)
    #expect(
      WhyCommand.lines(gap, hasPrivacyZones: true).last
        .map { $0.hasSuffix(": the log does not say why; of a privacy zone it says nothing") } == true)
  }

  @Test func aClockThatWasSetBackHidesNoGapBehindIt() throws {
    let found = gaps([
      try location(90_000), try location(90_001), event(100, .clockStepped), try location(101),
      event(102, .receiverLost), try location(600),
    ])
    #expect(found.map { $0.reasons.map(\.kind) } == [["receiver_lost"]])
  }

  @Test func aLogWithoutLocationTellsWhatItKnows() throws {
    var search = GapSearch(longest: .seconds(120))
    #expect(
      WhyCommand.withoutGap(search, longest: .seconds(120), since: nil)
        == ["no location with a date; the log does not say why"])
    _ = search.take(
      LogRecord(moment: .zero, time: nil, timeQuality: .none, body: .event(EventRecord(.started))))
    _ = search.take(event(600, .fixesRejected, "no_fix 600"))
    #expect(search.finish(at: Self.start + .seconds(600)).isEmpty)
    #expect(
      WhyCommand.withoutGap(search, longest: .seconds(120), since: Self.start, clock: Self.utc) == [
        "no location with a date since 2026-02-25T06:13:20Z; what the log says:",
        "  (no date yet) started", "  2026-02-25T06:23:20Z fixes_rejected: no_fix 600",
      ])
    _ = search.take(try location(700))
    #expect(
      WhyCommand.withoutGap(search, longest: .seconds(120), since: nil) == ["no pause longer than 2 min"])
  }
}
