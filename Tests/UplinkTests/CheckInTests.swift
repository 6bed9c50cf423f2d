import Quantities
import Records
import Testing
import Uplink

/// Requests without records, so that a silent device has a fault.
@Suite struct CheckInTests {
  static func bench(_ change: (inout DeliveryMachine.Settings) -> Void = { _ in }) -> DeliveryBench {
    var bench = DeliveryBench { settings in
      settings.checkIn = .seconds(3600)
      change(&settings)
    }
    bench.send(.started)
    return bench
  }

  @Test func anEmptyQueueIsFollowedByACheckInEveryHour() {
    var bench = Self.bench()
    bench.advance(.seconds(3599))
    #expect(bench.log.isEmpty)
    bench.advance(.seconds(3602))
    #expect(bench.log == ["3600s post nothing", "7200s post nothing"])
    #expect(bench.acknowledged == 0)
  }

  @Test func recordsThatAreSentPostponeTheCheckIn() {
    var bench = Self.bench()
    bench.advance(.seconds(3000))
    bench.record(1)
    bench.forgetLog()
    bench.advance(.seconds(3599))
    #expect(bench.log.isEmpty)
    bench.advance(.seconds(1))
    #expect(bench.log == ["6600s post nothing"])
  }

  @Test func aFailedCheckInIsRetriedAndDelaysNoRecordForLong() {
    var bench = Self.bench()
    bench.replies = [DeliveryBench.down]
    bench.advance(.seconds(3600))
    #expect(bench.log.prefix(1) == ["3600s post nothing"])
    bench.forgetLog()
    bench.record(1)
    bench.advance(.seconds(400))
    #expect(bench.log.count { $0.hasSuffix("post nothing") } == 1)
    #expect(bench.log.contains { $0.hasSuffix("post 1-1") })
    #expect(bench.acknowledged == 1)
  }

  /// A server that rejects the content of a request without records.
  @Test func aRejectedCheckInSetsNothingAside() {
    var bench = Self.bench()
    bench.replies = [.refuse(Refusal(.content, reason: "no")), .refuse(Refusal(.tooLarge, reason: "no"))]
    bench.advance(.seconds(3700))
    #expect(bench.setAside.isEmpty)
    bench.record(1)
    bench.advance(.seconds(4000))
    #expect(bench.acknowledged == 1)
  }

  @Test(arguments: [(false, 0), (true, 1)])
  func aRequestToSendChecksInOnlyIfTheServerTakesReports(takesReports: Bool, count: Int) {
    var bench = Self.bench { if !takesReports { $0.checkIn = nil } }
    bench.advance(.seconds(60))
    bench.send(.sendNow)
    #expect(bench.log.count == count)
    bench.advance(.seconds(5))
    bench.send(.sendNow)
    #expect(bench.log.count == count)
  }

  /// A device that wakes every hour for five minutes and has nothing to send.
  @Test func theTimeToTheCheckInPassesDuringPlannedSleepsOfTheHost() throws {
    var bench = Self.bench { $0.checkIn = .seconds(12 * 3600) }
    var posts = 0
    for _ in 0..<14 {
      bench.advance(.seconds(300))
      let passed = try #require(bench.machine.timeSinceContact(now: bench.now))
      posts += bench.log.count { $0.hasSuffix("post nothing") }
      bench.forgetLog()
      // The clock of the machine counts from the start of the host.
      bench.machine = DeliveryMachine(
        settings: bench.machine.settings, seed: 2, lastContact: bench.now - passed - .seconds(3300))
      bench.send(.started)
    }
    #expect(posts == 1)
  }

  @Test func theTimeToTheCheckInPassesAcrossChangedSettings() {
    var bench = Self.bench()
    bench.advance(.seconds(3000))
    bench.succeed()
    bench.advance(.seconds(599))
    #expect(bench.log.isEmpty)
    bench.advance(.seconds(1))
    #expect(bench.log == ["3600s post nothing"])
  }

  @Test(
    arguments: [
      (3600, 300, 3600), (3600, 7200, 7200), (3600, nil, nil), (nil, 300, nil),
    ] as [(Int64?, Int64?, Int64?)])
  func theLongestSilenceIsThatOfCheckInAndSendInterval(checkIn: Int64?, interval: Int64?, silence: Int64?) {
    var settings = DeliveryMachine.Settings()
    settings.checkIn = checkIn.map { .seconds($0) }
    settings.sendInterval = interval.map { .seconds($0) }
    #expect(settings.longestSilence == silence.map { .seconds($0) })
  }

  @Test func whileSendingIsOffThereIsNoCheckIn() {
    var bench = Self.bench { $0.sendInterval = nil }
    bench.advance(.seconds(100_000))
    #expect(bench.log.isEmpty && bench.machine.nextTimeout == nil)
  }
}
