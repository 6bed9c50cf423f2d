import GNSSProtocol
import Quantities
import Testing
@testable import GNSSReceiver

/// The parts of a dialogue by themselves.
@Suite struct DialoguePartsTests {
  private let now = Moment.zero + .seconds(100)

  // MARK: Power

  @Test func aReceiverThatDoesNotSleepIsKeptAwakeUntilTheNextRequest() {
    var power = PowerRequest()
    #expect(!power.isSleepDue)
    power.requestSleep(until: now, cutsSupply: false)
    #expect(power.isSleepDue)
    power.keepAwake()
    #expect(!power.isSleepDue)
    #expect(!power.isAwake)
    power.requestSleep(until: nil, cutsSupply: false)
    #expect(power.isSleepDue)
    let wasAsleep = [power.requestWake(), power.requestWake()]
    #expect(wasAsleep == [true, false])
  }

  @Test func eachSilenceDoublesTheToleranceUntilTheNextRequest() {
    var power = PowerRequest()
    power.fellSilent()
    power.fellSilent()
    #expect(power.toleranceOfSilence == 4)
    for _ in 0..<100 { power.fellSilent() }
    #expect(power.toleranceOfSilence == 256)
    power.requestSleep(until: nil, cutsSupply: false)
    #expect(power.toleranceOfSilence == 1)
  }

  @Test func aSleepEndsAtItsTime() {
    var power = PowerRequest()
    power.requestSleep(until: now, cutsSupply: false)
    power.endSleepIfOver(now: now - .milliseconds(1))
    #expect(!power.isAwake)
    power.endSleepIfOver(now: now)
    #expect(power.isAwake)
  }

  @Test func theEnableLineIsUsedOnlyIfNoCommandCanBeRevoked() {
    let ublox = GNSSReceiver.dialect(for: ReceiverIdentity(family: .ubloxMessages))
    var power = PowerRequest()
    power.requestSleep(until: nil, cutsSupply: false)
    func isByLine(_ dialect: (any Dialect)?, hasEnableLine: Bool) -> Bool? {
      switch power.meansOfSleep(until: nil, dialect: dialect, hasEnableLine: hasEnableLine, now: now) {
      case .enableLine: true
      case .sequence: false
      case nil: nil
      }
    }
    #expect(isByLine(ublox, hasEnableLine: true) == false)
    #expect(isByLine(nil, hasEnableLine: true) == true)
    #expect(isByLine(nil, hasEnableLine: false) == nil)
    power.requestSleep(until: nil, cutsSupply: true)
    #expect(isByLine(ublox, hasEnableLine: true) == true)
    #expect(isByLine(ublox, hasEnableLine: false) == false)
  }

  // MARK: Starts

  @Test func theAnnouncementsOfOneStartCountOnce() {
    var starts = StartDetector()
    var areRestarts = [0, 4, 5].map { starts.detectRestart(in: .started, now: now + .seconds($0)) }
    starts.recordRequestedStart(now: now + .seconds(20))
    areRestarts.append(starts.detectRestart(in: .started, now: now + .seconds(21)))
    #expect(areRestarts == [true, false, true, false])
  }

  @Test func aSmallerUptimeIsARestartUnlessTheCounterMayHaveWrapped() {
    func isRestart(from first: UInt32, to second: UInt32) -> Bool {
      var starts = StartDetector()
      let isFirstRestart = starts.detectRestart(
        in: .sinceStart(timeToFirstFix: 0, uptime: first), now: now)
      #expect(!isFirstRestart)
      return starts.detectRestart(in: .sinceStart(timeToFirstFix: 0, uptime: second), now: now)
    }
    #expect(!isRestart(from: 1000, to: 2000))
    #expect(isRestart(from: 2000, to: 1000))
    #expect(!isRestart(from: .max - 1000, to: 1000))
  }

  // MARK: Configuration

  @Test func repeatedConfigurationsArePostponedUnlessTheLossIsExpected() {
    var configuration = ConfigurationState(setUp: SetUp(), now: now)
    // The first delay is zero.
    var postponed = [
      configuration.postponement(now: now), configuration.postponement(now: now),
      configuration.postponement(now: now + .seconds(1)),
    ]
    #expect(postponed == [nil, nil, now + .seconds(30)])
    #expect(configuration.mayBeLost)
    configuration.expectLoss(now: now + .seconds(2))
    postponed = [configuration.postponement(now: now + .seconds(2))]
    #expect(postponed == [nil])
  }

  // MARK: Batching

  @Test func aBatchWithLessThanHalfOfTheEpochsIsFollowedByABackOff() {
    func isAllowed(after count: Int) -> Bool {
      var batching = BatchingRequest()
      batching.request(latencyBudget: .seconds(120))
      batching.begun(now: now)
      batching.retrieved(count, interval: .seconds(1), now: now + .seconds(100))
      return batching.isAllowed(now: now + .seconds(101))
    }
    #expect(isAllowed(after: 50))
    #expect(!isAllowed(after: 49))
  }

  @Test func aBatchThatIsAbandonedIsReportedAsLostOnce() {
    var batching = BatchingRequest()
    var actions: [DialogueAction] = []
    batching.begun(now: now)
    batching.abandon(interval: .seconds(2), now: now + .seconds(61), &actions)
    batching.abandon(interval: .seconds(2), now: now + .seconds(62), &actions)
    #expect(actions == [.report(.epochsLost(30))])
  }
}
