import GNSSReceiver
import Quantities
import Scheduling
import Testing

@Suite struct EphemerisAgeTests {
  private func at(_ seconds: Int64) -> Moment { .zero + .seconds(seconds) }

  /// Records a fix in each second of `range`.
  private func track(_ age: inout EphemerisAge, _ range: ClosedRange<Int64>) {
    for second in range { age.epoch(hasFix: true, now: at(second)) }
  }

  @Test func onlyAFixForAWholeFrameRenewsEphemerides() {
    var age = EphemerisAge(hasBackupSupply: true)
    #expect(age.expectedStart(now: at(0)) == .cold)
    track(&age, 0...35)
    #expect(age.lastRead == nil && age.expectedStart(now: at(35)) == .warm)
    age.epoch(hasFix: false, now: at(36))
    track(&age, 37...72)
    #expect(age.lastRead == nil)
    track(&age, 73...73)
    #expect(age.lastRead == at(73) && age.expectedStart(now: at(80)) == .hot)
    track(&age, 90...100)
    #expect(age.lastRead == at(73))
  }

  @Test(
    arguments: [
      (0, 1.0, StartKind.hot), (7200, 1.0, .hot), (9000, 0.75, .hot), (10_800, 0.5, .hot),
      (10_801, 0.5, .warm),
      (14_400, 0, .warm), (1_000_000, 0, .warm),
    ] as [(Int64, Double, StartKind)]) func theProbabilityOfAHotStartDecreasesWithAge(
      off: Int64, probability: Double, kind: StartKind
    )
  {
    var age = EphemerisAge(hasBackupSupply: true)
    track(&age, 0...40)
    age.slept()
    #expect(abs(age.hotProbability(now: at(40 + off)) - probability) < 0.001)
    #expect(age.expectedStart(now: at(40 + off)) == kind)
  }

  @Test func aCutWithoutBackupSupplyLeadsToAColdStart() {
    for hasBackup in [false, true] {
      var age = EphemerisAge(hasBackupSupply: hasBackup)
      track(&age, 0...40)
      age.slept()
      #expect(age.expectedStart(now: at(60)) == .hot)
      age.supplyCut()
      #expect(age.expectedStart(now: at(60)) == (hasBackup ? .hot : .cold))
    }
  }

  @Test(
    arguments: [
      (5, EphemerisAge.Renewal.keepOn), (10, .keepOn), (11, .notDue), (1799, .notDue),
      (1800, .due(.seconds(40))),
      (7200, .due(.seconds(40))), (7201, .doesNotPay), (86_400, .doesNotPay),
    ] as [(Int64, EphemerisAge.Renewal)]) func theIntervalDecidesTheRenewal(
      interval: Int64, renewal: EphemerisAge.Renewal
    )
  {
    var age = EphemerisAge(hasBackupSupply: true)
    track(&age, 0...40)
    #expect(age.renewal(interval: .seconds(interval), now: at(60)) == renewal)
  }

  @Test func slowHotStartsCauseRenewalUnlessEphemeridesAreFresh() {
    var age = EphemerisAge(hasBackupSupply: true)
    track(&age, 0...40)
    age.firstFix(after: .seconds(9), usually: .seconds(1), now: at(300))
    #expect(age.renewal(interval: .seconds(60), now: at(300)) == .notDue)
    age.firstFix(after: .seconds(9), usually: .seconds(6), now: at(1000))
    #expect(age.renewal(interval: .seconds(60), now: at(1000)) == .notDue)
    age.firstFix(after: .seconds(9), usually: .seconds(1), now: at(1000))
    #expect(age.renewal(interval: .seconds(60), now: at(1000)) == .due(.seconds(36)))
    track(&age, 1000...1036)
    #expect(age.renewal(interval: .seconds(60), now: at(1037)) == .notDue)
  }

  /// A fix every five minutes for eight hours.
  @Test func aNightOfSparseFixesKeepsHotStartsAtLowCost() {
    var age = EphemerisAge(hasBackupSupply: true)
    track(&age, 0...40)
    age.slept()
    var on: Int64 = 0
    for wake in stride(from: Int64(300), to: 8 * 3600, by: 300) {
      #expect(age.expectedStart(now: at(wake)) == .hot)
      let due: Int64
      switch age.renewal(interval: .seconds(300), now: at(wake)) {
      case .notDue: due = 5
      case .due(let duration): due = duration.wholeNanoseconds / 1_000_000_000
      case .keepOn, .doesNotPay: due = 300
      }
      track(&age, wake...wake + due)
      age.slept()
      on += due
    }
    #expect((850...950).contains(on))
  }
}
