import Quantities
import Records
import Testing
import Uplink

@Suite struct PacingTests {
  @Test func oneByOneEverythingGoesWhenTheIntervalIsOver() {
    var bench = DeliveryBench {
      $0.batchSize = 1
      $0.largestRequest = 1
      $0.pacing = .whenDue
    }
    bench.send(.started)
    bench.record(1)
    bench.forgetLog()
    bench.advance(.seconds(10))
    bench.record(3)
    bench.advance(.seconds(289))
    #expect(bench.log.isEmpty)
    bench.advance(.seconds(1))
    #expect(
      bench.log.filter { $0.contains("post") } == [
        "300s post 2-2 current", "300s post 3-3 current", "300s post 4-4",
      ])
    #expect(bench.acknowledged == 4)
  }

  @Test func whatTheLogCountsInAnotherSizeIsCut() {
    var bench = DeliveryBench {
      $0.largestRequest = 1
      $0.pacing = .whenDue
    }
    bench.newest = 4
    bench.send(.started)
    bench.advance(.seconds(10))
    #expect(bench.posted.map(\.records) == [1, 1, 1, 1])
    #expect(bench.acknowledged == 4)
  }

  @Test func onABatteryRetriesWaitForTheInterval() {
    var bench = DeliveryBench { $0.savesEnergy = true }
    bench.replies = Array(repeating: DeliveryBench.down, count: 1000)
    bench.send(.started)
    bench.record(1)
    bench.advance(.seconds(3600))
    #expect((12...15).contains(bench.posted.count))
    bench.send(.sendNow)
    #expect((13...16).contains(bench.posted.count))
  }
}
