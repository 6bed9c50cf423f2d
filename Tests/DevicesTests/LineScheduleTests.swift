import Quantities
import Testing

@testable import Devices

@Suite struct ReopenScheduleTests {
  @Test func pausesGrowAndNeverReachTwentySeconds() {
    var schedule = ReopenSchedule()
    let pauses = (0..<8).map { _ in schedule.next().wholeMilliseconds }
    #expect(pauses == [500, 1000, 2000, 4000, 8000, 15_000, 15_000, 15_000])
    for _ in 0..<10_000 { #expect(schedule.next() < .seconds(20)) }
    schedule.succeeded()
    #expect(schedule.next() == .milliseconds(500))
  }
}

@Suite struct LineHealthTests {
  private func at(_ seconds: Int64) -> Moment { .zero + .seconds(seconds) }

  @Test func silenceIsSaidOnceAndSoIsItsEnd() {
    var health = LineHealth(now: at(0))
    #expect(health.heard(now: at(10)) == nil)
    #expect(health.nextTimeout == at(40))
    #expect(health.handleTimeout(now: at(39)) == nil)
    #expect(health.handleTimeout(now: at(40)) == .silent(since: at(10)))
    #expect(health.nextTimeout == nil)
    #expect(health.handleTimeout(now: at(4000)) == nil)
    #expect(health.heard(now: at(5000)) == .speaking)
    #expect(health.heard(now: at(5001)) == nil)
    #expect(health.nextTimeout == at(5031))
  }

  @Test func aLineThatNeverSpokeIsSilentFromItsOpening() {
    var health = LineHealth(now: at(100))
    #expect(health.handleTimeout(now: at(130)) == .silent(since: at(100)))
  }
}
