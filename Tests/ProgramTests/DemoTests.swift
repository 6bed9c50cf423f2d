import EventLoop
import Foundation
import History
import LocalAPI
import Quantities
import Records
import Store
import Synchronization
import Testing

@testable import outrider

/// The demo: its schedule, and a run of five minutes on a simulated clock.
@Suite struct DemoTests {
  private static let now = Timestamp(milliseconds: 1_782_043_200_000)  // 2026-06-21T12:00:00Z

  @Test func theScheduleRepeatsAfterFiveMinutes() {
    let schedule = DemoSchedule.live
    let count = schedule.steps.count
    #expect(schedule.steps.map(\.second) == schedule.steps.map(\.second).sorted())
    #expect(schedule.steps.allSatisfy { (0..<300).contains($0.second) })
    for index in schedule.steps.indices {
      #expect(schedule.step(index)?.second == schedule.steps[index].second)
      #expect(schedule.step(index + count)?.step == schedule.steps[index])
      #expect(schedule.step(index + count)?.second == schedule.steps[index].second + 300)
    }
    #expect(
      schedule.step(-1) == nil && DemoSchedule.yesterday.step(DemoSchedule.yesterday.steps.count) == nil)
    #expect(schedule.halts.spans == [128..<280] && schedule.halts.period == 300)
    #expect(DemoSchedule.yesterday.halts.spans.map(\.lowerBound) == [600, 2880])
    for pair: (DemoSchedule.Event, DemoSchedule.Event) in [
      (.receptionEnds, .receptionReturns), (.serverFails, .serverRecovers), (.vehicleStops, .vehicleStarts),
    ] {
      let first = schedule.steps.firstIndex { $0.event == pair.0 }
      let second = schedule.steps.firstIndex { $0.event == pair.1 }
      #expect(first.map { begin in second.map { begin < $0 } ?? false } == true, "\(pair)")
    }
  }

  @Test func theOutingOfYesterdayIsOver() throws {
    for hour in 0..<24 {
      let now = Self.now + .seconds(hour * 3600)
      let start = DemoHistory.start(now: now)
      #expect(now - start >= .seconds(15 * 3600) && now - start < .seconds(26 * 3600), "\(hour)")
    }
  }

  /// What a run showed, in order and without repetition.
  private struct Seen {
    var states: [String] = []
    var trips: [Bool] = []
    var failing: [Bool] = []
    var hadCheck = false
    var hadForecast = false

    mutating func take(_ status: StatusReport) {
      if let state = status.tracker?.state.rawValue, states.last != state { states.append(state) }
      if trips.last != (status.trip != nil) { trips.append(status.trip != nil) }
      let isFailing = status.destinations.first?.trouble != nil
      if failing.last != isFailing { failing.append(isFailing) }
      hadCheck = hadCheck || status.tracker?.state == .asleep && status.tracker?.next_check_in_s != nil
      hadForecast = hadForecast || status.power != nil
    }
  }

  @Test func fiveMinutesShowEveryState() throws {
    let scratch = try Scratch()
    let loop = try EventLoop(simulating: SimulatedClock(timestamp: Self.now, boot: "demo-today"))
    let lines = Lines()
    let demo = try Demo(loop: loop, folder: scratch.url.path, overrides: []) { lines.add($0) }
    try demo.start()
    var seen = Seen()
    var queues: [Int: Int] = [:]
    for second in 1...300 {
      try loop.advance(by: .seconds(1))
      seen.take(demo.status)
      if [155, 200].contains(second) {
        queues[second] = try LogReader(directory: scratch.path("log")).status().destinations.first?.queued
      }
    }
    // Acquisition, the drive, the tunnel, the stop, the departure.
    var expected = ["acquiring", "tracking", "acquiring", "tracking", "asleep", "acquiring", "tracking"][...]
    for state in seen.states where state == expected.first { expected.removeFirst() }
    #expect(expected.isEmpty, "\(seen.states)")
    #expect(seen.trips == [false, true, false], "\(seen.trips)")
    #expect(seen.failing == [false, true, false], "\(seen.failing)")
    // The server fails from second 95 to 160; the receiver has fixes from about 100 to 150.
    #expect(queues[155].map { $0 >= 40 } == true && queues[200] == 0, "\(queues)")
    #expect(seen.hadCheck)
    #expect(lines.all.first?.hasPrefix("http://127.0.0.1:") == true)
    #expect(lines.all.contains { $0.contains("Times are shortened") })
    try demo.sendRemaining()
    #expect(demo.finish() == 0)

    let log = scratch.path("log/outrider.db")
    let kinds = Set(try LogFile.texts("SELECT DISTINCT kind FROM event", of: log))
    for kind in [
      "first_fix", "trip_started", "trip_ended", "receiver_resting", "delivery_failing", "delivery_recovered",
    ] {
      #expect(kinds.contains(kind), "\(kind) is not in \(kinds.sorted())")
    }
    // Yesterday has a visit, trips and locations; all records have arrived.
    let midnight = (Self.now.wholeSeconds - 12 * 3600) * 1000
    #expect(try LogFile.column("SELECT count(*) FROM location WHERE time < \(midnight)", of: log)[0] > 500)
    #expect(try LogFile.column("SELECT count(*) FROM visit", of: log)[0] >= 2)
    #expect(try LogFile.column("SELECT count(*) FROM trip", of: log)[0] >= 3)
    let gaps = try Self.gaps(in: scratch.path("log"))
    // The tunnel of yesterday, the hours between, the stop of today.
    #expect(
      gaps.contains { $0.from < Timestamp(milliseconds: midnight) && ($0.metres ?? 0) > 500 }, "\(gaps)")
    #expect(
      gaps.contains { $0.from > Self.now && $0.reasons.first?.kind == "receiver_resting" }, "\(gaps)")
    let collected = try LogFile.collectedTimes(in: scratch.path("collected")).count
    let kept = try LogFile.column("SELECT count(*) FROM location", of: log)[0]
    #expect(collected >= Int(kept))
  }

  private static func gaps(in directory: String) throws -> [GapSearch.Gap] {
    var search = GapSearch(longest: .seconds(120))
    var gaps: [GapSearch.Gap] = []
    try LogReader(directory: directory).read(from: Timestamp(milliseconds: 0)) { stored in
      gaps += search.take(stored.record)
      return true
    }
    return gaps + search.finish(at: nil)
  }

  @Test func aSecondDemoContinuesTheLogOfTheFirst() throws {
    let scratch = try Scratch()
    for (round, text) in [(0, "outing of yesterday"), (1, "an earlier demo")] {
      let clock = SimulatedClock(timestamp: Self.now + .seconds(round * 600), boot: "demo-\(round)")
      let loop = try EventLoop(simulating: clock)
      let lines = Lines()
      let demo = try Demo(loop: loop, folder: scratch.url.path, overrides: []) { lines.add($0) }
      try demo.start()
      try loop.advance(by: .seconds(20))
      try demo.sendRemaining()
      _ = demo.finish()
      #expect(lines.all.contains { $0.contains(text) }, "\(lines.all.prefix(3))")
    }
  }
}

/// The lines that a demo printed.
private final class Lines: Sendable {
  private let lines = Mutex<[String]>([])

  func add(_ line: String) { lines.withLock { $0.append(line) } }

  var all: [String] { lines.withLock { $0 } }
}
