import Quantities
import Testing

import Chips

@Suite struct ChipPresenceTests {
  private func fault() throws -> ChipError { .bus(.noAcknowledge(try #require(I2CAddress(0x18)))) }

  @Test func aSingleFailureIsRetriedAndNotReported() throws {
    var presence = ChipPresence()
    #expect(presence.nextTimeout == nil)
    #expect(presence.failed(try fault(), now: .zero) == nil)
    #expect(presence.nextTimeout == Moment.zero + ChipPresence.retryPause)
    #expect(presence.succeeded(now: .zero + .seconds(1)) == nil)
    #expect(presence.nextTimeout == nil && presence.failures == 1 && !presence.isLost)
  }

  @Test func afterTwoRetriesALossIsReportedOnce() throws {
    var presence = ChipPresence()
    let fault = try fault()
    var now = Moment.zero
    var notices: [ChipPresence.Notice] = []
    for _ in 0..<20 {
      if let notice = presence.failed(fault, now: now) { notices.append(notice) }
      now = try #require(presence.nextTimeout)
    }
    #expect(notices == [.lost(fault)])
    #expect(presence.isLost && presence.failures == 20)
    let since = Moment.zero + ChipPresence.retryPause + ChipPresence.retryPause
    #expect(presence.succeeded(now: now) == .returned(after: now - since))
    #expect(!presence.isLost && presence.nextTimeout == nil)
  }

  @Test func theBackOffOfProbingIsBounded() throws {
    var presence = ChipPresence()
    for _ in 0..<3 { _ = presence.failed(try fault(), now: .zero) }
    var pauses: [Duration] = []
    for _ in 0..<10 {
      pauses.append(try #require(presence.nextTimeout) - .zero)
      _ = presence.failed(try fault(), now: .zero)
    }
    #expect(pauses.prefix(3) == [.seconds(5), .seconds(10), .seconds(20)])
    #expect(pauses.last == ChipPresence.longestSearchPause)
  }
}
