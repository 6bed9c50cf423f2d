import Quantities
import Testing
import Scheduling

@Suite struct SearchBudgetTests {
  private func at(_ seconds: Int64) -> Moment { .zero + .seconds(seconds) }

  @Test func withoutSignalAcquisitionEndsAfter90Seconds() {
    var budget = SearchBudget()
    budget.began(now: at(0))
    for second in 1..<90 { budget.received(strongest: 29.9, now: at(Int64(second))) }
    budget.received(strongest: .nan, now: at(50))
    #expect(budget.nextTimeout == at(90) && budget.handleTimeout(now: at(89)) == .goOn)
    #expect(budget.handleTimeout(now: at(90)) == .sleep(.seconds(120)) && budget.nextTimeout == nil)
    #expect(budget.handleTimeout(now: at(91)) == .goOn)
  }

  @Test func signalsExtendAcquisitionUpToALimit() {
    var budget = SearchBudget()
    budget.began(now: at(0))
    budget.received(strongest: 35, now: at(60))
    #expect(budget.nextTimeout == at(150))
    for second in stride(from: Int64(61), through: 239, by: 1) {
      budget.received(strongest: 35, now: at(second))
    }
    #expect(budget.nextTimeout == at(240))
  }

  @Test func onlyTheFirstAcquisitionAfterStorageIsLong() {
    var budget = SearchBudget(afterLongStorage: true)
    budget.began(now: at(0))
    budget.received(strongest: 40, now: at(10))
    budget.began(now: at(500))
    #expect(budget.nextTimeout == at(900))
    #expect(budget.handleTimeout(now: at(900)) == .sleep(.seconds(120)))
    budget.began(now: at(2000))
    #expect(budget.nextTimeout == at(2090))
  }

  /// Twelve hours underground, then reception.
  @Test func aNightUndergroundCostsLittleAndAFixResetsTheBackOff() {
    var budget = SearchBudget()
    var now = at(0)
    var backOffs: [Int64] = []
    var searched = Duration.zero
    while now < at(12 * 3600) {
      budget.began(now: now)
      let deadline = budget.nextTimeout ?? now
      #expect(deadline > now)
      searched += deadline - now
      guard case .sleep(let sleep) = budget.handleTimeout(now: deadline) else { break }
      backOffs.append(sleep.wholeMilliseconds / 1000)
      now = deadline + sleep
    }
    #expect(backOffs.prefix(7) == [120, 240, 480, 960, 1920, 3600, 3600] && backOffs.count < 20)
    #expect(searched < .seconds(1700))
    budget.began(now: now)
    budget.succeeded()
    #expect(budget.nextBackOff == .seconds(120) && budget.nextTimeout == nil)
  }

  /// Days without sky: a receiver that reports no satellite searches for a minute, one that is silent or weak for longer.
  @Test func aLateSearchWithoutAnySatelliteIsShorter() {
    var budget = SearchBudget(longestBackOff: .seconds(4 * 3600))
    budget.resume(at: .seconds(3600))
    budget.began(now: at(0))
    #expect(budget.nextTimeout == at(90), "nothing is reported")
    budget.received(strongest: 0, now: at(2))
    #expect(budget.nextTimeout == at(60))
    budget.received(strongest: 35, now: at(59))
    #expect(budget.nextTimeout == at(149), "one satellite suffices")
    budget.received(strongest: 0, now: at(70))
    #expect(budget.nextTimeout == at(149))
    var early = SearchBudget(longestBackOff: .seconds(4 * 3600))
    early.resume(at: .seconds(1920))
    early.began(now: at(0))
    early.received(strongest: 0, now: at(80))
    #expect(early.nextTimeout == at(90))
    var late = budget
    late.abandoned()
    late.began(now: at(1000))
    late.received(strongest: 0, now: at(1080))
    #expect(late.nextTimeout == at(1080), "not in the past")
  }

  /// A position check that fails is repeated after its interval, however short the back-off is.
  @Test func aSearchWithoutAnySatelliteIsShorterIfTheNextOneIsAnHourAway() {
    let cases: [(pause: Int64, limit: Int64)] = [(3599, 90), (3600, 60), (14_400, 60)]
    for (pause, limit) in cases {
      var budget = SearchBudget()
      budget.began(pause: .seconds(pause), now: at(0))
      #expect(budget.nextTimeout == at(90), "nothing is reported")
      budget.received(strongest: 0, now: at(2))
      #expect(budget.nextTimeout == at(limit), "\(pause)")
      budget.received(strongest: 30, now: at(50))
      #expect(budget.nextTimeout == at(140), "one satellite suffices")
      budget.abandoned()
      budget.began(now: at(1000))
      budget.received(strongest: 0, now: at(1001))
      #expect(budget.nextTimeout == at(1090), "the next search has a pause of its own")
    }
    var first = SearchBudget(afterLongStorage: true)
    first.began(pause: .seconds(4 * 3600), now: at(0))
    first.received(strongest: 0, now: at(2))
    #expect(first.nextTimeout == at(900), "an almanac takes longer")
  }

  @Test func anAbandonedAcquisitionIsNoFailure() {
    var budget = SearchBudget()
    budget.began(now: at(0))
    budget.abandoned()
    #expect(budget.handleTimeout(now: at(1000)) == .goOn && budget.nextBackOff == .seconds(120))
  }
}
