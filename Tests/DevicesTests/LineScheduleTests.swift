import Quantities
import Testing
@testable import Devices

@Suite struct ReopenScheduleTests {
  private func at(_ milliseconds: Int64) -> Moment { .zero + .milliseconds(milliseconds) }

  @Test func theBackOffGrowsAndStaysBelowTwentySeconds() {
    var schedule = ReopenSchedule()
    let pauses = (0..<8).map { _ in schedule.next(now: .zero).wholeMilliseconds }
    #expect(pauses == [500, 1000, 2000, 4000, 8000, 15_000, 15_000, 15_000])
    for _ in 0..<10_000 { #expect(schedule.next(now: .zero) < .seconds(20)) }
  }

  /// The connected time before a loss, and the delay that follows two others.
  @Test(
    arguments: [(0, 2000), (900, 2000), (9999, 2000), (10_000, 500), (3_600_000, 500)] as [(Int64, Int64)])
  func theBackOffRestartsAfterAStableConnection(connected: Int64, pause: Int64) {
    var schedule = ReopenSchedule()
    _ = schedule.next(now: at(0))
    _ = schedule.next(now: at(500))
    schedule.received(now: at(1500))
    schedule.received(now: at(1500 + connected))
    #expect(schedule.next(now: at(1500 + connected)).wholeMilliseconds == pause)
  }

  @Test func connectedTimesAreNotAddedUp() {
    var schedule = ReopenSchedule()
    var now = Moment.zero
    var attempts = 0
    while now < .zero + .seconds(3600) {
      schedule.received(now: now)
      now = now + .seconds(1)
      now = now + schedule.next(now: now)
      attempts += 1
    }
    #expect(attempts == 229)
  }
}

@Suite struct LineOutputTests {
  private func at(_ milliseconds: Int64) -> Moment { .zero + .milliseconds(milliseconds) }

  @Test func aFrameIsWrittenInPiecesAndHasLeftAfterItsTimeOnTheWire() {
    var output = LineOutput()
    _ = output.add(Array(1...96), now: at(0))
    _ = output.add([200], now: at(0))
    output.wrote(50, speed: 9600, now: at(0))
    #expect(output.next?.first == 51)
    output.wrote(46, speed: 9600, now: at(1))
    #expect(output.next == [200])
    output.wrote(1, speed: 9600, now: at(1))
    #expect(output.isEmpty)
    // 97 bytes of ten bits.
    let left = output.drained(unsent: 0, speed: 9600, now: at(1))
    #expect(left.map { $0 > at(101) && $0 < at(130) } == true)
    #expect(output.drained(unsent: 0, speed: 9600, now: at(130)) == nil)
    let later = output.drained(unsent: 96, speed: 9600, now: at(130))
    #expect(later.map { $0 > at(229) && $0 < at(260) } == true)
  }

  @Test func aLineWithoutProgressCountsAsHungAfterTheTimeout() {
    var output = LineOutput()
    #expect(output.hungAt == nil)
    _ = output.add([1, 2, 3], now: at(0))
    #expect(output.hungAt == at(10_000))
    output.wrote(1, speed: 9600, now: at(5000))
    #expect(output.hungAt == at(15_000))
    output.wrote(2, speed: 9600, now: at(5001))
    #expect(output.hungAt == nil)
  }

  @Test func theOutputQueueIsBounded() {
    var output = LineOutput()
    var frames = 0
    while output.add(Array(repeating: 7, count: 1000), now: at(0)), frames < 100 { frames += 1 }
    #expect(frames == LineOutput.capacity / 1000)
  }

  @Test func onlyAPartlyWrittenFrameIsCompleted() {
    var output = LineOutput()
    _ = output.add([1, 2, 3], now: at(0))
    _ = output.add([4], now: at(0))
    output.wrote(1, speed: nil, now: at(0))
    output.dropUnbegun()
    #expect(output.next == [2, 3])
    output.wrote(2, speed: nil, now: at(0))
    #expect(output.isEmpty)
    _ = output.add([5], now: at(0))
    output.dropUnbegun()
    #expect(output.isEmpty)
  }
}

@Suite struct LineNoticeFilterTests {
  private static let silence = LineNotice.began(.silent, .noBytes(since: .zero))
  private static let unreadable = LineNotice.began(.unreadable, .bytesWithoutFrame(600, since: .zero))
  private static let found = LineNotice.dialogue(.found(speed: 9600))

  static let cases: [(promise: String, notices: [LineNotice], isReported: [Bool])] = [
    (
      "silence is reported once, whichever part notices it",
      [.dialogue(.fellSilent), silence, .dialogue(.mute(hasSpeed: true))],
      [false, true, false]
    ),
    (
      "silence that began with the search for the baud rate", [.dialogue(.mute(hasSpeed: true)), silence],
      [true, false]
    ),
    (
      "the end of silence is reported once", [silence, found, .ended(.silent, lasted: .zero)],
      [true, true, false]
    ),
    ("silence that ends by itself", [silence, .ended(.silent, lasted: .zero), silence], [true, true, true]),
    (
      "garbage is reported once until frames arrive",
      [unreadable, .dialogue(.garbled(hasSpeed: true)), found, .dialogue(.garbled(hasSpeed: true))],
      [true, false, true, true]
    ),
    (
      "a receiver that does not sleep is reported once until it does",
      [
        .dialogue(.doesNotSleep(.noCommand)), .dialogue(.doesNotSleep(.noCommand)), .dialogue(.asleep),
        .dialogue(.doesNotSleep(.noCommand)),
      ],
      [true, false, true, true]
    ),
    ("other faults are reported by the watch alone", [.began(.jammed, .jamming(.critical))], [true]),
  ]

  @Test(arguments: cases.indices)
  func aFaultIsReportedOnce(_ index: Int) {
    let test = Self.cases[index]
    var noticeFilter = LineNoticeFilter()
    #expect(test.notices.map { noticeFilter.admit($0) } == test.isReported, "\(test.promise)")
  }
}
