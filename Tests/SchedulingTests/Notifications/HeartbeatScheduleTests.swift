import Quantities
import Scheduling
import Testing

/// When a sign of life goes to the monitor.
@Suite struct HeartbeatScheduleTests {
  static func at(_ seconds: Int64) -> Moment { .zero + .seconds(seconds) }

  static func schedule(isAlone: Bool = false, every: Int64 = 3600) -> HeartbeatSchedule {
    HeartbeatSchedule(every: .seconds(every), isAlone: isAlone, now: .zero)
  }

  @Test func theFirstSendTakesItAlongAndThenOneAnInterval() {
    var schedule = Self.schedule()
    var sent: [Int64] = []
    for second in stride(from: 0, through: 8000, by: 300) as StrideThrough<Int64> {
      guard schedule.isDue(isHealthy: true, now: Self.at(second)) else { continue }
      sent.append(second)
      schedule.begin(isHealthy: true, now: Self.at(second))
      #expect(!schedule.isDue(isHealthy: false, now: Self.at(second + 300)), "one at a time")
      schedule.end(failure: nil, now: Self.at(second))
    }
    #expect(sent == [0, 3600, 7200])
  }

  @Test func aChangedStateIsDueWithTheNextSend() {
    var schedule = Self.schedule()
    schedule.begin(isHealthy: true, now: Self.at(0))
    schedule.end(failure: nil, now: Self.at(0))
    #expect(!schedule.isDue(isHealthy: true, now: Self.at(120)))
    #expect(!schedule.isDue(isHealthy: false, now: Self.at(59)), "at most one a minute")
    #expect(schedule.isDue(isHealthy: false, now: Self.at(120)))
    schedule.begin(isHealthy: false, now: Self.at(120))
    schedule.end(failure: nil, now: Self.at(121))
    #expect(
      !schedule.isDue(isHealthy: false, now: Self.at(300))
        && schedule.isDue(isHealthy: true, now: Self.at(300)))
  }

  @Test func aFailedOneIsRepeatedWithTheNextSend() {
    var schedule = Self.schedule()
    schedule.begin(isHealthy: true, now: Self.at(0))
    schedule.end(failure: "status 500", now: Self.at(1))
    #expect(schedule.failure == "status 500" && schedule.lastSuccess == nil)
    #expect(
      !schedule.isDue(isHealthy: true, now: Self.at(30)) && schedule.isDue(isHealthy: true, now: Self.at(60)))
  }

  @Test func withASwitchedNetworkItNeverGoesAlone() {
    var schedule = Self.schedule()
    #expect(schedule.nextTimeout == nil)
    schedule.begin(isHealthy: true, now: Self.at(0))
    schedule.end(failure: nil, now: Self.at(0))
    #expect(schedule.nextTimeout == nil)
  }

  @Test func withoutASwitchItWaitsForASendAQuarterOfTheInterval() {
    var schedule = Self.schedule(isAlone: true)
    #expect(schedule.nextTimeout == Self.at(900))
    schedule.begin(isHealthy: true, now: Self.at(10))
    #expect(schedule.nextTimeout == nil, "one at a time")
    schedule.end(failure: nil, now: Self.at(10))
    #expect(schedule.nextTimeout == Self.at(10 + 3600 + 900))
    schedule.begin(isHealthy: true, now: Self.at(4510))
    schedule.end(failure: "timeout", now: Self.at(4520))
    #expect(schedule.nextTimeout == Self.at(4510 + 900))
  }

  @Test func theIntervalIsAtLeastAMinute() {
    #expect(Self.schedule(every: 1).every == .seconds(60))
  }
}
