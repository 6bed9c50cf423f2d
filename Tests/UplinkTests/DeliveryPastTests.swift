import Quantities
import Testing

@testable import Uplink

/// The state of the server that a new delivery inherits.
@Suite struct DeliveryPastTests {
  private static func asked(_ wait: Duration) -> DeliveryBench.Reply {
    .refuse(Refusal(.busy, reason: "busy", retryAfter: wait))
  }

  @Test func failureAndRecoveryAreReportedOnceAcrossMachines() {
    var bench = DeliveryBench()
    bench.replies = [DeliveryBench.down, DeliveryBench.down]
    bench.newest = 3
    bench.send(.started)
    bench.succeed()
    #expect(bench.machine.failures == 2)
    bench.succeed()
    #expect(
      bench.log.filter { !$0.contains("border") } == [
        "0s post 1-3", "0s failing: down", "0s post 1-3", "0s post 1-3", "0s acknowledge 3",
        "0s recovered after 2",
      ])
    bench.forgetLog()
    bench.succeed()
    bench.record(1)
    #expect(!bench.log.contains { $0.contains("recovered") || $0.contains("failing") })
  }

  @Test(arguments: [1, 3])
  func retryAfterHoldsAcrossMachines(successors: Int) {
    var bench = DeliveryBench { $0.sendInterval = .seconds(10) }
    bench.replies = [Self.asked(.seconds(3600))]
    bench.newest = 25
    bench.send(.started)
    bench.forgetLog()
    for _ in 0..<successors {
      bench.advance(.seconds(100))
      bench.succeed()
      bench.record(30)
      bench.send(.settingsChanged(bench.machine.settings))
    }
    bench.advance(.seconds(3599 - Int64(successors) * 100))
    #expect(bench.log.isEmpty)
    bench.advance(.seconds(1))
    #expect(bench.log.contains { $0.hasPrefix("3600s post 1-10") })
    #expect(bench.machine.past.retryAfterEnd == nil)
  }

  @Test func theSendIntervalContinuesAfterASleepOfTheHost() throws {
    var bench = DeliveryBench { $0.sendInterval = .seconds(3600) }
    bench.newest = 3
    bench.send(.started)
    bench.advance(.seconds(600))
    let rest = try #require(bench.machine.restOfInterval(now: bench.now))
    #expect(rest == .seconds(3000))
    bench.machine = DeliveryMachine(
      settings: bench.machine.settings, seed: 1, notBefore: bench.now + rest - .seconds(1000))
    bench.forgetLog()
    bench.send(.started)
    bench.record(2)
    bench.advance(.seconds(1999))
    #expect(bench.log.isEmpty, "\(bench.log)")
    #expect(bench.machine.restOfInterval(now: bench.now) == .seconds(1))
    bench.advance(.seconds(1))
    #expect(bench.log.contains { $0.contains("post 4-5") }, "\(bench.log)")
    #expect(bench.machine.restOfInterval(now: bench.now) == .seconds(3600))
  }

  @Test func aManualSendSkipsRetryAfter() {
    var bench = DeliveryBench()
    bench.replies = [Self.asked(.seconds(3600))]
    bench.newest = 3
    bench.send(.started)
    bench.forgetLog()
    bench.succeed()
    #expect(bench.log.isEmpty)
    bench.send(.sendNow)
    #expect(bench.log.contains { $0.contains("post 1-3") })
  }

  @Test func theBackOffContinuesAcrossMachines() {
    var bench = DeliveryBench()
    bench.replies = Array(repeating: DeliveryBench.down, count: 6)
    bench.newest = 3
    bench.send(.started)
    bench.advance(.seconds(60))
    let past = bench.machine.past
    #expect(DeliveryMachine(settings: .init(), seed: 9, past: past).past == past)
    #expect(past.backOff != RetryDelay(seed: 1) && past.failures > 1)
  }

  @Test func withoutAFailureTheNextMachineStartsImmediately() {
    var bench = DeliveryBench()
    bench.newest = 3
    bench.send(.started)
    bench.newest = 4
    bench.forgetLog()
    bench.succeed()
    #expect(bench.log.contains { $0.contains("0s post 4-4") })
  }
}
