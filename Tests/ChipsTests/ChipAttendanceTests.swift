import Quantities
import Testing

@testable import Chips

@Suite struct ChipAttendanceTests {
  private func fault() throws -> ChipError { .bus(.noAcknowledge(try #require(I2CAddress(0x18)))) }

  @Test func aSingleFailureIsRetriedAndNotReported() throws {
    var attendance = ChipAttendance()
    #expect(attendance.nextTimeout == nil)
    #expect(attendance.failed(try fault(), now: .zero) == nil)
    #expect(attendance.nextTimeout == Moment.zero + ChipAttendance.retryPause)
    #expect(attendance.succeeded(now: .zero + .seconds(1)) == nil)
    #expect(attendance.nextTimeout == nil && attendance.failures == 1 && !attendance.isLost)
  }

  @Test func afterTwoRetriesALossIsReportedOnce() throws {
    var attendance = ChipAttendance()
    let fault = try fault()
    var now = Moment.zero
    var said: [ChipAttendance.Notice] = []
    for _ in 0..<20 {
      if let notice = attendance.failed(fault, now: now) { said.append(notice) }
      now = try #require(attendance.nextTimeout)
    }
    #expect(said == [.lost(fault)])
    #expect(attendance.isLost && attendance.failures == 20)
    let since = Moment.zero + ChipAttendance.retryPause + ChipAttendance.retryPause
    #expect(attendance.succeeded(now: now) == .returned(after: now - since))
    #expect(!attendance.isLost && attendance.nextTimeout == nil)
  }

  @Test func theBackOffOfProbingIsBounded() throws {
    var attendance = ChipAttendance()
    for _ in 0..<3 { _ = attendance.failed(try fault(), now: .zero) }
    var pauses: [Duration] = []
    for _ in 0..<10 {
      pauses.append(try #require(attendance.nextTimeout) - .zero)
      _ = attendance.failed(try fault(), now: .zero)
    }
    #expect(pauses.prefix(3) == [.seconds(5), .seconds(10), .seconds(20)])
    #expect(pauses.last == ChipAttendance.longestSearchPause)
  }
}
