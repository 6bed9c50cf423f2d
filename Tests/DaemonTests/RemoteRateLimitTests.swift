import Quantities
import Testing

@testable import Daemon
@testable import Settings

/// The rate limit of remote settings: the seventh change of a setting within an hour, with a simulated clock.
@Suite struct RemoteRateLimitTests {
  /// A logger with six proven changes and two more that are deferred.
  private static func bench() throws -> ServerSettingsTests.Bench {
    let box = try ServerSettingsTests.Bench(ServerSettingsTests.two)
    for seconds in 2...7 {
      box.answer("{\"main\": {\"min_time\": \"\(seconds)s\"}}", from: "a", provenBy: 1000)
    }
    for seconds in 8...9 { box.answer("{\"main\": {\"min_time\": \"\(seconds)s\"}}", from: "a") }
    #expect(box.logger.context.configuration.main.minTime == .seconds(7))
    #expect(box.outcomes == ["main.min_time a refused"])
    return box
  }

  @Test func theNewestValueIsAppliedWhenTheRateLimitAllows() throws {
    let box = try Self.bench()
    let now = box.bench.loop.now
    #expect(
      box.logger.settingsController.serverTimer?.isArmed == true,
      "nothing else wakes the logger for the deferred value")
    box.logger.settingsController.serverTimeout(now: now + .seconds(3500))
    #expect(box.logger.context.configuration.main.minTime == .seconds(7))
    box.logger.settingsController.serverTimeout(now: now + .seconds(3601))
    #expect(box.logger.context.configuration.main.minTime == .seconds(9), "8 s was replaced")
    #expect(box.outcomes == ["main.min_time a applied"])
    #expect(box.logger.status.remote?.on_trial?.map(\.key) == ["main.min_time"])
    let kept = try box.kept()
    #expect(kept.layers.server.values.sorted() == ["9s"] && kept.server.waiting == nil)
    box.logger.settingsController.handleAcceptedRecords(.init(count: 1, newestLocation: .init(2000)), by: "a")
    #expect(box.outcomes == ["main.min_time a persisted"])
  }

  /// The operator sets the setting before the deferred change is applied.
  @Test func aValueThatTheOperatorSetMeanwhileIsKept() throws {
    let box = try Self.bench()
    var request = OperatorRequest()
    request.values["main.min_time"] = "20s"
    #expect(box.logger.settingsController.change(request).isEmpty)
    box.logger.settingsController.serverTimeout(now: box.bench.loop.now + .seconds(3601))
    #expect(box.logger.context.configuration.main.minTime == .seconds(20))
    #expect(box.trials == 6)
  }

  @Test func aValueThatIsInForceAgainCancelsTheDeferredOne() throws {
    let box = try Self.bench()
    box.answer(#"{"main": {"min_time": "7s"}}"#, from: "a")
    box.logger.settingsController.serverTimeout(now: box.bench.loop.now + .seconds(3601))
    #expect(box.logger.context.configuration.main.minTime == .seconds(7))
    #expect(box.trials == 6)
  }
}
