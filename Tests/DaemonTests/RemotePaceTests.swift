import Quantities
import Testing

@testable import Daemon
@testable import Settings

/// The seventh change of a setting by its server within an hour, in a logger whose clock is told.
@Suite struct RemotePaceTests {
  /// Six changes that are proven, and two more that have to wait.
  private static func bench() throws -> RemoteSayTests.Bench {
    let box = try RemoteSayTests.Bench(RemoteSayTests.two)
    for seconds in 2...7 {
      box.answer("{\"main\": {\"min_time\": \"\(seconds)s\"}}", from: "a", provenBy: 1000)
    }
    for seconds in 8...9 { box.answer("{\"main\": {\"min_time\": \"\(seconds)s\"}}", from: "a") }
    #expect(box.logger.configuration.main.minTime == .seconds(7))
    #expect(box.outcomes == ["main.min_time a refused"])
    return box
  }

  @Test func theNewestIsTakenWhenTheHourAllows() throws {
    let box = try Self.bench()
    let now = box.bench.loop.now
    #expect(box.logger.serverTimer?.isArmed == true, "nothing else wakes the logger for it")
    box.logger.serverTimeout(now: now + .seconds(3500))
    #expect(box.logger.configuration.main.minTime == .seconds(7))
    box.logger.serverTimeout(now: now + .seconds(3601))
    #expect(box.logger.configuration.main.minTime == .seconds(9), "not 8 s, which was replaced")
    #expect(box.outcomes == ["main.min_time a applied"])
    #expect(box.logger.status.remote?.on_trial?.map(\.key) == ["main.min_time"])
    let kept = try box.kept()
    #expect(kept.layers.server.values.sorted() == ["9s"] && kept.server.waiting == nil)
    box.logger.noteTaken(.init(count: 1, newestLocation: .init(2000)), by: "a")
    #expect(box.outcomes == ["main.min_time a persisted"])
  }

  /// Between the change that waits and its hour, somebody else sets the same.
  @Test func aValueThatTheOperatorHasSetMeanwhileIsLeft() throws {
    let box = try Self.bench()
    var wishes = OperatorWishes()
    wishes.values["main.min_time"] = "20s"
    #expect(box.logger.change(wishes).isEmpty)
    box.logger.serverTimeout(now: box.bench.loop.now + .seconds(3601))
    #expect(box.logger.configuration.main.minTime == .seconds(20))
    #expect(box.said("on trial").count == 6)
  }

  @Test func aValueThatCountsAgainMeanwhileLeavesNothingToTake() throws {
    let box = try Self.bench()
    box.answer(#"{"main": {"min_time": "7s"}}"#, from: "a")
    box.logger.serverTimeout(now: box.bench.loop.now + .seconds(3601))
    #expect(box.logger.configuration.main.minTime == .seconds(7))
    #expect(box.said("on trial").count == 6)
  }
}
