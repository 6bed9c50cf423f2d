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
}
