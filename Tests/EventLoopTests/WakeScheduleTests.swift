import EventLoop
import Quantities
import Testing

/// Seconds since the start.
private func moment(_ seconds: Int64) -> Moment { .zero + .seconds(seconds) }

private func at(_ second: Int64) -> WakeWindow { WakeWindow(at: moment(second)) }

private func by(_ deadline: Int64, earlier: Int64) -> WakeWindow {
  WakeWindow(by: moment(deadline), orEarlier: .seconds(earlier))
}

private func from(_ due: Int64, later: Int64) -> WakeWindow {
  WakeWindow(from: moment(due), orLater: .seconds(later))
}

@Suite struct WakeScheduleTests {
  struct Situation: CustomTestStringConvertible {
    var testDescription: String
    var now: Int64
    var windows: [WakeWindow]
    /// Indices of the windows served now.
    var done: [Int] = []
    /// Time of the next wake-up, if the work done now needs none.
    var next: Int64?

    init(_ description: String, now: Int64, _ windows: [WakeWindow], done: [Int] = [], next: Int64? = nil) {
      (testDescription, self.now, self.windows, self.done, self.next) = (
        description, now, windows, done, next
      )
    }
  }

  static let situations = [
    Situation("nothing is scheduled", now: 5, []),
    Situation("an exact deadline waits for its time", now: 9, [at(10)], next: 10),
    Situation("an exact deadline is served at its time", now: 10, [at(10)], done: [0]),
    Situation("work outside its window waits", now: 4, [by(10, earlier: 5), at(11)], next: 10),
    Situation(
      "work that the next wake-up serves waits for it", now: 8, [by(10, earlier: 5), at(9)], next: 9),
    Situation(
      "work that the next wake-up would be too late for joins this one", now: 9,
      [by(10, earlier: 5), at(11)],
      done: [0], next: 11),
    Situation("without another wake-up none is saved", now: 8, [by(10, earlier: 5)], next: 10),
    Situation(
      "work that may be done now is no certain wake-up", now: 8,
      [by(10, earlier: 5), by(12, earlier: 6), at(30)], done: [0, 1], next: 30),
    Situation("alone, a retry comes when it is due", now: 99, [from(100, later: 30), at(160)], next: 100),
    Situation(
      "a retry waits for a wake-up within its window", now: 99, [from(100, later: 30), at(120)], next: 120),
    Situation(
      "a retry is done in any wake-up in which it is due", now: 101, [from(100, later: 30), at(120)],
      done: [0],
      next: 120),
    Situation(
      "several late windows are served as soon as the last of them is due", now: 0,
      [from(100, later: 30), from(110, later: 60), from(105, later: 90)], next: 110),
    Situation(
      "a late and an early window are served together at the deadline", now: 0,
      [from(100, later: 30), by(125, earlier: 10)], next: 125),
    Situation(
      "a window that opens after the first end is not waited for", now: 0,
      [from(100, later: 30), by(125, earlier: 10), at(131)], next: 125),
    Situation(
      "overdue work is done, whatever else is scheduled", now: 20, [at(10), at(21)], done: [0], next: 21),
    Situation(
      "the first window that ends is in the next wake-up", now: 0,
      [by(90, earlier: 40), by(70, earlier: 10), by(80, earlier: 70)], next: 70),
  ]

  @Test(arguments: situations) func eachWakeUpDoesTheWorkThatWouldCostASeparateOne(_ situation: Situation) {
    let schedule = WakeSchedule(situation.windows, now: moment(situation.now))
    let done = situation.windows.indices.filter { schedule.takes(situation.windows[$0]) }
    #expect(done == situation.done)
    let left = situation.windows.indices.filter { !done.contains($0) }.map { situation.windows[$0] }
    #expect(WakeSchedule.next(left) == situation.next.map(moment))
  }

  @Test(arguments: [1, 2, 3, 4] as [UInt64])
  func noWindowIsMissedNothingIsEarlyAndEveryScheduledWakeUpHasWork(seed: UInt64) {
    var random = SplitMix64(seed: seed)
    var now = Moment.zero
    var windows = (0..<12).map { _ in Self.random(after: now, &random) }
    for _ in 0..<2000 {
      guard let next = WakeSchedule.next(windows) else { break }
      // Another cause may wake the device earlier.
      let isScheduled = Bool.random(using: &random)
      now = isScheduled ? next : max(now, next - .seconds(Int64.random(in: 1...5, using: &random)))
      let schedule = WakeSchedule(windows, now: now)
      let taken = windows.indices.filter { schedule.takes(windows[$0]) }
      if isScheduled { #expect(!taken.isEmpty) }
      for index in taken {
        #expect(windows[index].earliest <= now && now <= windows[index].latest)
        windows[index] = Self.random(after: now, &random)
      }
      #expect(windows.allSatisfy { $0.latest >= now })
    }
  }

  private static func random(after now: Moment, _ random: inout SplitMix64) -> WakeWindow {
    let due = now + .seconds(1 + Int64.random(in: 0...60, using: &random))
    let room = Duration.seconds(Int64.random(in: 0...30, using: &random))
    return switch Int.random(in: 0...2, using: &random) {
    case 0: WakeWindow(at: due)
    case 1: WakeWindow(from: due, orLater: room)
    default: WakeWindow(by: due + room, orEarlier: room)
    }
  }

  @Test func aJoinedWindowServesBothIfPossible() {
    let both = WakeWindow.joined(from(10, later: 30), by(37, earlier: 2))
    #expect(both?.earliest == moment(10) && both?.due == moment(37) && both?.latest == moment(37))
    let late = WakeWindow.joined(from(105, later: 15), from(100, later: 30))
    #expect(late?.earliest == moment(100) && late?.due == moment(105) && late?.latest == moment(120))
    #expect(WakeWindow.joined(from(10, later: 30), at(500)) == from(10, later: 30), "far apart: the first")
    #expect(WakeWindow.joined(nil, at(1)) == at(1))
    #expect(WakeWindow.joined(nil, nil) == nil)
    #expect(by(10, earlier: -4) == at(10) && from(10, later: -4) == at(10))
  }
}
