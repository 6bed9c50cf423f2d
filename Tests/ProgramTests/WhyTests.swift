import Quantities
import Records
import Testing

@testable import outrider

/// Why points are missing, by what the log says.
@Suite struct WhyTests {
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
    #expect(WhyCommand.lines(found[2]).last == "  the log does not say why")
  }

  @Test func rejectionsThatAreReportedAfterTheGapBelongToIt() throws {
    let found = gaps([
      try location(0), try location(300), event(500, .fixesRejected, "too_inaccurate 290 (last 80)"),
      try location(301 + 600), event(902 + 700, .fixesRejected, "late"),
    ])
    #expect(found.map { $0.reasons.map(\.detail) }.first == ["too_inaccurate 290 (last 80)"])
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
    #expect(WhyCommand.lines(found[0])[0].hasSuffix("no location since"))
    #expect(WhyCommand.json(found[0]).contains("\"kind\":\"receiver_lost\""))
    #expect(gaps([try location(0)], end: 100).isEmpty)
  }

  @Test func aLogThatFailsOftenIsCounted() throws {
    let failures = (1...50).map { event($0, .receiverSilent) }
    let found = gaps([try location(0)] + failures + [try location(500)])
    #expect(found[0].reasons.count == GapSearch.mostReasons && found[0].more == 50 - GapSearch.mostReasons)
    #expect(WhyCommand.lines(found[0]).last == "  and 38 more events")
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
        == "  the log does not say why; of a privacy zone it says nothing")
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
      WhyCommand.withoutGap(search, longest: .seconds(120), since: Self.start) == [
        "no location with a date since 2026-02-25T06:13:20Z; what the log says:",
        "  (no date yet) started", "  2026-02-25T06:23:20Z fixes_rejected: no_fix 600",
      ])
    _ = search.take(try location(700))
    #expect(
      WhyCommand.withoutGap(search, longest: .seconds(120), since: nil) == ["no pause longer than 2 min"])
  }
}
