import CLinux
import System
import Testing
@testable import Devices

@Suite struct ClockChipTests {
  static let times: [(seconds: Int64, year: Int32, month: Int32, day: Int32, hour: Int32)] = [
    (0, 70, 0, 1, 0), (951_826_740, 100, 1, 29, 12), (1_774_087_200, 126, 2, 21, 10),
    (4_102_444_799, 199, 11, 31, 23),
  ]

  @Test(arguments: times)
  func theKernelCountsYearsFrom1900AndMonthsFromZero(
    _ row: (seconds: Int64, year: Int32, month: Int32, day: Int32, hour: Int32)
  ) {
    let time = rtc_time(seconds: row.seconds)
    #expect(time.tm_year == row.year && time.tm_mon == row.month && time.tm_mday == row.day)
    #expect(time.tm_hour == row.hour)
    #expect(time.seconds == row.seconds)
  }

  @Test func aClockChipThatWasNeverSetHasNoTime() {
    #expect(rtc_time().seconds == nil)
    var time = rtc_time(seconds: 0)
    time.tm_hour = 165
    #expect(time.seconds == nil)
  }

  @Test func theErrorNamesADeviceThatIsNotAClock() {
    for path in ["/nowhere/rtc0", "/dev/null"] {
      let chip = ClockChip(path: path)
      #expect(throws: SystemError.self) { try chip.wake(in: .seconds(60)) }
      #expect(throws: SystemError.self) { try chip.seconds() }
      #expect(throws: SystemError.self) { try chip.cancel() }
    }
  }
}
