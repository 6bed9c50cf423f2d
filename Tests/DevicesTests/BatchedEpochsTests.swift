import GNSSProtocol
import GNSSReceiver
import Quantities
import Testing
@testable import Devices

@Suite struct BatchedEpochsTests {
  private static func fix(_ milliseconds: Int64) -> Fix {
    var fix = Fix()
    fix.timestamp = Timestamp(milliseconds: 1_782_000_000_000 + milliseconds)
    return fix
  }

  @Test func inputsOfTheWatchFollowTheEpochsInTransfer() throws {
    var batch = BatchedEpochs()
    let areDeferred = [
      batch.deferInput(.opened, isTransferring: false),
      batch.deferInput(.received(bytes: 100, frames: 1), isTransferring: true),
      batch.deferInput(.received(bytes: 20, frames: 2), isTransferring: true),
      batch.deferInput(.answer(.started), isTransferring: true),
    ]
    #expect(areDeferred == [false, true, true, true])
    batch.take([Self.fix(1000), Self.fix(0)])

    let now = Moment.zero + .seconds(60)
    let begun = batch.beginRelease(now: now)
    let release = try #require(begun)
    #expect(release.epochs.map(\.fix) == [Self.fix(0), Self.fix(1000)])
    #expect(release.inputs == [.received(bytes: 120, frames: 3), .answer(.started)])
    let isDeferredDuringRelease = batch.deferInput(.opened, isTransferring: true)
    #expect(!isDeferredDuringRelease)
    batch.endRelease(now: now)
    let isRepeated = batch.beginRelease(now: now) != nil
    #expect(!isRepeated)
  }

  @Test func aDecisionWaitsForTheReceiverUnlessTheEpochsAreFresh() {
    let now = Moment.zero + .seconds(60)
    func waits(isTransferring: Bool, after age: Duration) -> Bool {
      var batch = BatchedEpochs()
      batch.endRelease(now: now)
      let waits = batch.beginCatchingUp(isTransferring: isTransferring, now: now + age)
      let hasWaited = [batch.endCatchingUp(), batch.endCatchingUp()]
      #expect(hasWaited == [waits, false])
      return waits
    }
    #expect(!waits(isTransferring: false, after: .milliseconds(99)))
    #expect(waits(isTransferring: false, after: .milliseconds(100)))
    #expect(waits(isTransferring: true, after: .zero))
  }

  @Test func theReceiverGetsEachLatencyBudgetOnce() {
    var batch = BatchedEpochs()
    var sent = [batch.newLatencyBudget()]
    batch.request(latencyBudget: .seconds(300))
    sent += [batch.newLatencyBudget(), batch.newLatencyBudget()]
    #expect(sent == [nil, .seconds(300), nil])
    #expect(batch.latencyBudget == .seconds(300))
  }
}
