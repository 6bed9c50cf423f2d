import Quantities
import Testing

@testable import SystemLoop

@Suite struct TimerScheduleTests {
  static func moment(_ seconds: Int64) -> Moment { Moment(nanoseconds: seconds * 1_000_000_000) }

  static func entry(_ deadline: Int64, earliest: Int64) -> TimerSchedule.Entry {
    TimerSchedule.Entry(deadline: moment(deadline), earliest: moment(earliest))
  }

  @Test func workWithinItsSlackJoinsAWakeThatWouldComeTooLate() {
    let commit = Self.entry(10, earliest: 5)
    #expect(!TimerSchedule.canJoin(commit, now: Self.moment(8), nextCertainWake: Self.moment(9)))
    #expect(TimerSchedule.canJoin(commit, now: Self.moment(9), nextCertainWake: Self.moment(11)))
  }

  @Test func workOutsideItsSlackWaits() {
    #expect(
      !TimerSchedule.canJoin(
        Self.entry(10, earliest: 5), now: Self.moment(4), nextCertainWake: Self.moment(11)))
  }

  @Test func withoutAnyOtherWakeSlackIsNotUsed() {
    #expect(
      !TimerSchedule.canJoin(Self.entry(10, earliest: 5), now: Self.moment(8), nextCertainWake: nil))
  }

  @Test func onlyWorkThatCannotBeDoneYetIsACertainWake() {
    let entries = [Self.entry(10, earliest: 5), Self.entry(12, earliest: 12), Self.entry(30, earliest: 30)]
    #expect(TimerSchedule.nextCertainWake(entries, now: Self.moment(8)) == Self.moment(12))
  }
}
