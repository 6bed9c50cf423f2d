import Quantities
import Records
import Testing

import History

/// The time line of states, gaps within a period, and the states of the receiver in memory.
@Suite struct TimelineTests {
  static let start = Timestamp(milliseconds: 1_772_362_800_000)

  static func record(_ second: Int, _ body: LogRecord.Body) -> LogRecord {
    LogRecord(moment: .zero, time: start + .seconds(second), timeQuality: .receiver, body: body)
  }

  static func event(_ second: Int, _ kind: EventKind, _ fields: EventFields = [:]) -> LogRecord {
    record(second, .event(EventRecord(kind, fields)))
  }

  static func location(_ second: Int, motion: MotionStates = []) throws -> LogRecord {
    var location = LocationRecord(
      coordinate: try #require(Coordinate(latitude: 52 + Double(second) / 1e5, longitude: 13)),
      deviceID: "van")
    location.motion = motion
    return record(second, .location(location))
  }

  /// The spans as text: seconds since the start, and the state.
  private static func texts(_ spans: [Timeline.Span]) -> [String] {
    spans.map { span in
      let end = span.end.map { "\(($0 - start).wholeSeconds)" } ?? ""
      return "\((span.start - start).wholeSeconds)-\(end) \(span.state)"
    }
  }

  @Test func statesLastUntilTheNextOne() throws {
    var timeline = Timeline()
    for record in [
      Self.event(0, .started, [.cause: "first_start"]), try Self.location(10, motion: .driving),
      try Self.location(20, motion: .driving),
      Self.event(30, .motionChanged, [.motion: .list(["stationary"])]),
      Self.event(40, .receiverAsleep, [.cause: "stationary"]), try Self.location(35), try Self.location(90),
      Self.event(100, .powerLevel, [.level: "low", .previousLevel: "normal"]), Self.event(120, .stopped),
      Self.event(200, .started, [.cause: "orderly_stop"]),
    ] { timeline.take(record) }
    #expect(
      Self.texts(timeline.spans(of: .receiver))
        == ["0-10 acquiring", "10-40 tracking", "40-90 asleep", "90-120 tracking", "200- acquiring"])
    #expect(Self.texts(timeline.spans(of: .motion)) == ["10-30 driving", "30-120 stationary"])
    #expect(Self.texts(timeline.spans(of: .power)) == ["100-120 low"])
    #expect(
      Self.texts(
        timeline.spans(of: .receiver, from: Self.start + .seconds(50), to: Self.start + .seconds(100)))
        == ["50-90 asleep", "90-120 tracking"])
  }

  @Test func aStartWithoutAStopEndsTheStatesAtTheLastRecord() throws {
    var timeline = Timeline()
    for record in [
      try Self.location(0), try Self.location(60), Self.event(500, .started, [.cause: "power_loss"]),
    ] {
      timeline.take(record)
    }
    #expect(Self.texts(timeline.spans(of: .receiver)) == ["0-60 tracking", "500- acquiring"])
  }

  @Test func theNumberOfSpansIsLimited() throws {
    var timeline = Timeline()
    for second in 0..<10_000 {
      timeline.take(Self.event(second, second % 2 == 0 ? .motionBegan : .motionEnded))
    }
    #expect(timeline.spans(of: .motion).count == Timeline.mostSpans + 1 && timeline.isCut)
  }

  @Test func theStatesInMemoryReplaceThoseOfTheLogAndKeepItsReasons() throws {
    var timeline = Timeline()
    timeline.take(try Self.location(0))
    timeline.take(Self.event(100, .receiverAsleep, [.cause: "stationary"]))
    let reason = timeline.spans(of: .receiver)[1].reason
    var ring = ReceiverStateRing()
    for (second, state) in [
      (50, ReportedReceiverState.tracking), (100, .asleep), (100, .asleep), (400, .acquiring),
    ] {
      ring.record(state, now: Moment(nanoseconds: Int64(second) * 1_000_000_000))
    }
    timeline.take(
      receiver: ring.spans(now: Moment(nanoseconds: 500_000_000_000), time: Self.start + .seconds(500)))
    let spans = timeline.spans(of: .receiver)
    #expect(Self.texts(spans) == ["0-50 tracking", "50-100 tracking", "100-400 asleep", "400- acquiring"])
    #expect(spans[2].reason == reason && !reason.isEmpty)
  }

  @Test func theStatesInMemoryAreTheLatestOfADay() {
    #expect(ReceiverStateRing().spans(now: .zero, time: Self.start).isEmpty)
    var ring = ReceiverStateRing()
    for minute in 0..<5000 {
      ring.record(
        minute % 2 == 0 ? .asleep : .acquiring, now: Moment(nanoseconds: Int64(minute) * 60_000_000_000))
    }
    let now = Moment(nanoseconds: 5000 * 60_000_000_000)
    let spans = ring.spans(now: now, time: Self.start)
    #expect(spans.count == 1440 && spans.last?.end == nil && spans.last?.state == "acquiring")
    #expect(zip(spans, spans.dropFirst()).allSatisfy { $0.end == $1.start })
  }

  @Test func aGapThatBeginsInThePeriodIsFoundWithItsEndAndLaterReports() throws {
    let records = [
      try Self.location(0), try Self.location(500), try Self.location(510), try Self.location(2000),
      Self.event(2300, .fixesRejected, [.count: 5, .rejections: .counts(["accuracy": 5])]),
      try Self.location(2310),
      try Self.location(9000), try Self.location(9001),
    ]
    var window = GapWindow(
      longest: .seconds(120), floor: Self.start + .seconds(10), last: Self.start + .seconds(600))
    var gaps: [GapSearch.Gap] = []
    for record in records { gaps += window.take(record) }
    #expect(window.isOver, "it needs no further record")
    #expect(gaps.map { ($0.from - Self.start).wholeSeconds } == [510])
    #expect(gaps.first?.to == Self.start + .seconds(2000) && gaps.first?.perhaps?.kind == "fixes_rejected")
  }

  @Test func whatIsInForceBeforeThePeriodExplainsItsGaps() throws {
    let records = [
      try Self.location(0), Self.event(1, .receiverAsleep, [.cause: "stationary"]), try Self.location(900),
      try Self.location(1800), try Self.location(2700),
    ]
    var window = GapWindow(longest: .seconds(120), floor: Self.start + .seconds(900))
    let gaps = records.flatMap { window.take($0) } + window.finish(at: Self.start + .seconds(2701))
    #expect(gaps.map { ($0.from - Self.start).wholeSeconds } == [900, 1800])
    #expect(gaps.allSatisfy { $0.reasons.map(\.kind) == ["receiver_resting"] })
  }

  @Test func aPathInPartsIsThePathInRuns() throws {
    let path = (0..<2500).compactMap { index in
      Coordinate(latitude: 52 + Double(index) / 1e5, longitude: 13 + Double(index * index % 37) / 1e5)
    }
    let whole = PathSimplification(tolerance: 5, longestRun: 100).kept(path)
    var thinner = PathThinner<Int>(PathSimplification(tolerance: 5, longestRun: 100))
    var kept: [Int] = []
    for (index, coordinate) in path.enumerated() { kept += thinner.take(index, at: coordinate) }
    kept += thinner.finish()
    #expect(kept == whole.indices.filter { whole[$0] })
    var all = PathThinner<Int>(nil)
    #expect(path.enumerated().flatMap { all.take($0.offset, at: $0.element) } == Array(0..<2500))
  }
}
