import Quantities
import Records
import Testing

@testable import Uplink

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

  @Test func aRegularAttemptMayBeALittleLaterAndNeverEarlier() throws {
    var bench = DeliveryBench()
    bench.send(.started)
    bench.record(1)
    bench.advance(.seconds(10))
    #expect(bench.machine.nextWake == nil, "nothing waits, nobody is woken")
    bench.record(1)
    let wake = try #require(bench.machine.nextWake)
    #expect(wake.earliest == .zero + .seconds(300) && wake.due == wake.earliest)
    #expect(wake.latest == .zero + .seconds(360))
    #expect(bench.machine.handleTimeout(now: wake.earliest - .nanoseconds(1)) == [])
  }

  @Test(arguments: [1, 2, 3, 4, 5, 6, 7, 8] as [UInt64])
  func aRetryKeepsItsDrawnWaitAndWhatTheServerAsked(seed: UInt64) throws {
    var bench = DeliveryBench(seed: seed)
    let asked = Refusal(.busy, reason: "busy", retryAfter: .seconds(90))
    bench.replies = Array(repeating: DeliveryBench.down, count: 4) + [.refuse(asked)]
    bench.send(.started)
    bench.record(1)
    for _ in 0..<5 {
      let due = try #require(bench.machine.nextTimeout)
      let wake = try #require(bench.machine.nextWake)
      #expect(wake.earliest == due && wake.due == due)
      #expect(wake.latest - due <= DeliveryMachine.longestRoom && wake.latest - due <= (due - bench.now) / 4)
      if bench.posted.count == 5 { #expect(due - bench.now == .seconds(90)) }
      bench.advance(due - bench.now)
    }
  }
}
