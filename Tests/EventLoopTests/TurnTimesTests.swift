import Glibc
import Quantities
import Testing

@testable import EventLoop

@Suite struct TurnTimesTests {
  private static func at(_ milliseconds: Int) -> Moment { .zero + .milliseconds(milliseconds) }

  @Test func theLongestTurnIsKeptAndSlowOnesAreCounted() {
    var times = TurnTimes(suspended: .zero)
    for (start, end) in [(0, 3), (10, 12), (20, 520), (600, 700), (800, 899)] {
      times.handle(from: Self.at(start), to: Self.at(end)) { .zero }
    }
    #expect(times.longest == .milliseconds(500) && times.longestEnd == Self.at(520))
    #expect(times.slowCount == 2)
  }

  @Test func timeInSuspendDoesNotCount() {
    var times = TurnTimes(suspended: .seconds(10))
    times.handle(from: Self.at(0), to: Self.at(7_200_004)) { .seconds(7210) }
    #expect(times.longest == .milliseconds(4) && times.slowCount == 0)
    // A suspend while the loop waited hides no slow turn.
    times.handle(from: Self.at(20_000_000), to: Self.at(20_000_900)) { .seconds(15_000) }
    #expect(times.longest == .milliseconds(900) && times.slowCount == 1)
  }

  @Test func theTotalTimeInSuspendIsReadForSlowTurnsOnly() {
    var times = TurnTimes(suspended: .zero)
    times.handle(from: Self.at(0), to: Self.at(99)) {
      Issue.record("read")
      return .zero
    }
    #expect(times.longest == .milliseconds(99))
  }

  @Test(arguments: ["timer", "descriptor", "next turn", "every turn"])
  func aHandlerOfEveryKindCounts(kind: String) throws {
    let loop = try EventLoop()
    var isDone = false
    // Blocks the loop by the processor, as a library in a handler would.
    func block() {
      guard !isDone else { return }
      isDone = true
      let end = loop.now + .milliseconds(20)
      while loop.now < end {}
    }
    let timer = loop.addTimer("test") { _ in
      if kind == "timer" { block() }
      loop.stop()
    }
    var ends: [Int32] = [0, 0]
    #expect(pipe(&ends) == 0)
    defer { ends.forEach { close($0) } }
    switch kind {
    case "descriptor":
      #expect(write(ends[1], "x", 1) == 1)
      _ = try loop.watch(ends[0], for: .readable) { _ in
        block(); loop.stop()
      }
    case "next turn": loop.callNextTurn { block() }
    case "every turn": loop.everyTurn { _ in block() }
    default: break
    }
    timer.arm(after: .milliseconds(40))
    try loop.run()
    #expect(loop.turnTimes.longest >= .milliseconds(20))
    #expect(loop.turnTimes.longestEnd != nil)
  }

  @Test func turnsOnASimulatedClockTakeNoTime() throws {
    let loop = try EventLoop(
      simulating: SimulatedClock(timestamp: Timestamp(milliseconds: 1_700_000_000_000)))
    let timer = loop.addTimer("test") { _ in }
    timer.arm(after: .seconds(60))
    try loop.advance(by: .seconds(3600))
    #expect(loop.turnTimes.longest == .zero && loop.turnTimes.slowCount == 0)
  }
}
