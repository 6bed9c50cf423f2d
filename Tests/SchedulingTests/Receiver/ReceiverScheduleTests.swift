import Energy
import Quantities
import Settings
import Testing
import Scheduling

@Suite struct ReceiverScheduleTests {
  @Test func theFirstFixIsRecordedAndThenAStationaryDeviceSleeps() {
    var bench = ReceiverScheduleBench(.high)
    #expect(bench.pass(120) == [.first])
    #expect(bench.state == .backup)
  }

  @Test func aDeviceWithoutSensorsSleepsWithinTwoMinutes() {
    var bench = ReceiverScheduleBench(.high, hasAccelerometer: false)
    bench.speed = 10
    bench.pass(100)
    #expect(bench.state == .tracking)
    bench.speed = 0
    bench.pass(125)
    #expect(bench.state == .backup)
    #expect(bench.kept.last == .arrival)
  }

  @Test func aDeviceWithoutSensorsDetectsMotionByPositionChecks() {
    var bench = ReceiverScheduleBench(.high, hasAccelerometer: false)
    bench.pass(300)
    bench.speed = 10
    bench.pass(200)
    #expect(bench.state == .tracking)
  }

  @Test func motionWakesTheReceiverAndTheStopIsRecordedUntilThen() {
    var bench = ReceiverScheduleBench(.high)
    bench.pass(1200)
    #expect(bench.state == .backup)
    bench.shake(true)
    #expect(bench.state == .searching)
    bench.speed = 10
    let kept = bench.pass(20)
    #expect(kept.starts(with: [.stay, .departure, .period]))
    #expect(kept.count >= 10)
  }

  @Test func aDoorSlamIsNotADeparture() {
    var bench = ReceiverScheduleBench(.high)
    bench.pass(1200)
    bench.shake(true)
    bench.pass(2)
    bench.shake(false)
    #expect(bench.pass(600).isEmpty)
    #expect(bench.state == .backup)
  }

  @Test func aSmoothMotorwayWithASilentAccelerometerIsNotAStop() {
    var bench = ReceiverScheduleBench(.high)
    bench.pass(600)
    bench.shake(true)
    bench.speed = 30
    bench.pass(60)
    bench.shake(false)
    let kept = bench.pass(600)
    #expect(kept.count > 590)
    #expect(bench.state == .tracking)
  }

  @Test(arguments: [nil, 500] as [Double?])
  func aSwayingMastDoesNotDrainTheBattery(fence: Double?) {
    var policy = TrackingPolicy.high
    policy.resumeDistance = fence
    var bench = ReceiverScheduleBench(policy)
    bench.pass(1200)
    let before = bench.onTime
    for _ in 0..<1440 {
      bench.shake(true)
      bench.pass(3)
      bench.shake(false)
      bench.pass(57)
    }
    #expect(bench.onTime - before < .seconds(1800))
  }

  @Test func aPositionCheckFindsADeviceMovedUnnoticed() {
    var bench = ReceiverScheduleBench(.high)
    bench.pass(60)
    bench.north = 5000
    let kept = bench.pass(1000)
    #expect(kept.first == .change)
  }

  @Test func theIntervalOfPositionChecksGrows() {
    var bench = ReceiverScheduleBench(.high)
    bench.pass(60)
    let before = bench.starts
    bench.pass(24 * 3600)
    #expect((4...12).contains(bench.starts - before))
  }

  @Test func changedCheckIntervalsApplyToTheCurrentSleep() throws {
    var bench = ReceiverScheduleBench(.high)
    bench.pass(24 * 3600)
    func due() throws -> Double { (try #require(bench.schedule.nextTimeout) - bench.now).inSeconds }
    #expect(try due() > 1800)
    var policy = TrackingPolicy.high
    policy.setPositionChecks(each: .seconds(900), longest: .seconds(1200), metres: 500)
    bench.handle(.policy(policy))
    #expect(try due() == 1200, "at most the longest interval")
    policy.setPositionChecks(each: .seconds(300), longest: .seconds(1200), metres: 500)
    bench.handle(.policy(policy))
    #expect(try due() == 300, "sooner than before")
    // Frequent checks keep the ephemerides fresh, which takes most of a minute.
    bench.pass(360)
    #expect(try due() > 500, "the interval grows again")
    let before = try due()
    policy.setPositionChecks(each: .seconds(600), longest: .seconds(7200), metres: 500)
    bench.handle(.policy(policy))
    #expect(try due() == before, "a later check does not postpone the next one")
    bench.pass(1000)
    #expect(try due() > 600)
  }

  @Test(arguments: [true, false])
  func changedPoliciesDoNotPostponeAPositionCheck(hasAccelerometer: Bool) {
    var bench = ReceiverScheduleBench(.high, hasAccelerometer: hasAccelerometer)
    bench.pass(300)
    let starts = bench.starts
    for round in 0..<10 {
      bench.pass(100)
      bench.handle(.policy(round % 2 == 0 ? .within(metres: 20) : .high))
    }
    #expect(bench.starts > starts)
  }

  @Test func aPolicyWithoutSleepSearchesImmediately() throws {
    var bench = ReceiverScheduleBench(.high)
    bench.pass(9 * 3600)
    #expect(bench.state == .backup)
    bench.handle(.policy(byTheClock))
    #expect(bench.state == .searching)
    bench.pass(60)
    #expect(bench.state == .backup)
    #expect((try #require(bench.schedule.nextTimeout) - bench.now).inSeconds <= 900)
  }

  /// Plain `standard` at 1 km: does not sleep because of stops, and is on for single fixes only.
  private let byTheClock = TrackingPolicy(
    trackingMode: .standard, pausesAutomatically: false, desiredAccuracy: .kilometre1)

  @Test func anotherPolicyEndsTheReadingOfEphemerides() {
    var bench = ReceiverScheduleBench(.high)
    bench.pass(20)
    #expect(bench.state == .tracking, "ephemerides are read")
    bench.handle(.policy(byTheClock))
    let before = bench.onTime
    bench.pass(3600)
    #expect(bench.onTime - before < .seconds(120), "\(bench.onTime - before)")
    #expect(bench.schedule.nextTimeout.map { $0 > bench.now } == true)
  }

  @Test func withoutReceptionTheSearchTimesOutAndSucceedsLater() {
    var bench = ReceiverScheduleBench(.high)
    bench.hasReception = false
    bench.pass(24 * 3600)
    #expect(bench.onTime < .seconds(4000))
    #expect(bench.kept.isEmpty)
    bench.hasReception = true
    bench.pass(3700)
    #expect(bench.kept.first == .first)
  }

  /// The seconds of each search of a receiver that reports no satellites, after it had a fix.
  private func searches(every check: Int, count: Int) -> [Int] {
    var policy = TrackingPolicy.high
    policy.setPositionChecks(each: .seconds(check), longest: .seconds(check), metres: 500)
    var bench = ReceiverScheduleBench(policy)
    bench.pass(300)
    bench.hasReception = false
    var searches: [Int] = []
    for _ in 0..<count * (check + 100) where searches.count <= count {
      let wasSearching = bench.state == .searching
      bench.pass(1)
      guard bench.state == .searching else { continue }
      bench.handle(.received(strongest: 0))
      if !wasSearching { searches.append(0) }
      searches[searches.count - 1] += 1
    }
    return Array(searches.prefix(count))
  }

  @Test func aPositionCheckWithoutSatellitesIsShortIfTheNextOneIsAnHourAway() {
    #expect(searches(every: 4 * 3600, count: 4) == [60, 60, 60, 60])
    #expect(searches(every: 3600, count: 2) == [60, 60])
    #expect(searches(every: 900, count: 6) == [90, 90, 90, 90, 90, 60], "the back-off has reached an hour")
  }

  @Test func aPositionCheckThatReceivesOneSatelliteGoesOn() {
    var policy = TrackingPolicy.high
    policy.setPositionChecks(each: .seconds(4 * 3600), longest: .seconds(4 * 3600), metres: 500)
    var bench = ReceiverScheduleBench(policy)
    bench.pass(300)
    (bench.north, bench.timeToFirstFix) = (1000, 85)
    while bench.state != .searching { bench.pass(1) }
    bench.handle(.received(strongest: 0))
    bench.pass(58)
    bench.handle(.received(strongest: 30))
    #expect(bench.pass(60).contains(.change), "as without the shorter limit")
  }

  /// A vehicle leaves a garage during a check, whose back-off would be an hour.
  @Test(arguments: [true, false]) func aDepartureDuringACheckWithoutReceptionIsSearchedForAsInMotion(
    reportsSignal: Bool
  ) {
    var policy = TrackingPolicy.high
    policy.setPositionChecks(each: .seconds(4 * 3600), longest: .seconds(4 * 3600), metres: 500)
    var bench = ReceiverScheduleBench(policy)
    bench.pass(300)
    bench.hasReception = false
    func pass(_ seconds: Int) {
      for _ in 0..<seconds {
        bench.pass(1)
        if reportsSignal, bench.state == .searching { bench.handle(.received(strongest: 0)) }
      }
    }
    pass(30 * 3600)
    while bench.state != .searching { pass(1) }
    pass(20)
    bench.shake(true)
    bench.speed = 10
    pass(100)
    #expect(!bench.kept.contains(.departure))
    bench.hasReception = true
    #expect(bench.pass(100).contains(.departure))
  }

  @Test func aRequestedPositionIsSearchedForInFull() {
    var policy = TrackingPolicy.high
    policy.setPositionChecks(each: .seconds(4 * 3600), longest: .seconds(4 * 3600), metres: 500)
    var bench = ReceiverScheduleBench(policy)
    bench.pass(300)
    bench.hasReception = false
    bench.handle(.positionRequested)
    for _ in 0..<88 {
      bench.handle(.received(strongest: 0))
      bench.pass(1)
    }
    #expect(bench.state == .searching)
  }

  @Test func aTunnelOfFourKilometresCausesSearchesButNoArrival() {
    var bench = ReceiverScheduleBench(.high)
    bench.pass(300)
    bench.shake(true)
    bench.speed = 20
    bench.pass(120)
    bench.hasReception = false
    #expect(bench.pass(200).isEmpty)
    bench.hasReception = true
    let kept = bench.pass(40)
    #expect(!kept.contains(.arrival))
    #expect(kept.contains(.period))
  }

  @Test func levelSMakesFewFixesOnAStraightLegAndMissesNoArrival() {
    var bench = ReceiverScheduleBench(.within(metres: 20))
    bench.pass(300)
    bench.shake(true)
    bench.speed = 1.4
    bench.pass(60)
    let before = bench.onTime
    let kept = bench.pass(1200)
    #expect(kept.count > 10)
    #expect(bench.onTime - before < .seconds(400))
    bench.speed = 0
    bench.shake(false)
    #expect(bench.pass(60).last == .arrival)
    #expect(bench.state == .backup)
  }

  @Test func levelSContinuesOnASmoothRideWithASilentAccelerometer() {
    var bench = ReceiverScheduleBench(.within(metres: 20))
    bench.pass(300)
    bench.shake(true)
    bench.speed = 20
    bench.pass(120)
    bench.shake(false)
    bench.pass(60)
    let kept = bench.pass(1200)
    #expect(!kept.contains(.arrival))
    #expect(kept.count > 15)
  }

  @Test func significantChangesAreFewFixes() {
    var bench = ReceiverScheduleBench(.significant)
    bench.pass(300)
    bench.shake(true)
    bench.speed = 10
    let kept = bench.pass(3600)
    #expect((4...13).contains(kept.count))
    #expect(bench.onTime < .seconds(400))
  }

  @Test func aPolicyWithoutSleepStaysAwakeWhileStationary() {
    var bench = ReceiverScheduleBench(TrackingPolicy(moving: .everySecond, stationary: .asMoving))
    bench.pass(60)
    #expect(bench.pass(3600).count > 3500)
    #expect(bench.state == .tracking)
  }

  @Test func offSleepsImmediatelyAndAnotherPolicyWakesTheReceiver() {
    var bench = ReceiverScheduleBench(.high)
    bench.shake(true)
    bench.speed = 10
    bench.pass(60)
    bench.handle(.policy(.off))
    #expect(bench.state == .backup)
    #expect(bench.pass(3600).isEmpty)
    bench.handle(.policy(.high))
    #expect(bench.pass(30).first == .first)
  }

  @Test func aRequestGetsAPosition() {
    var bench = ReceiverScheduleBench(.high)
    bench.pass(600)
    bench.handle(.positionRequested)
    #expect(bench.pass(30) == [.requested])
    #expect(bench.state == .backup)
  }

  /// An unsettled fix has an error of 18 m; a vehicle travels 40 m in that time.
  @Test(arguments: [(20.0, 2), (5.0, 4), (0.0, 4)] as [(Double, Int)])
  func aVehiclesFirstFixIsRecordedImmediatelyAPersonsOnceSettled(speed: Double, atLeast: Int) {
    var bench = ReceiverScheduleBench(.within(metres: 20))
    bench.speed = speed
    bench.shake(speed > 0)
    let seconds = (1...20).first { _ in !bench.pass(1).isEmpty } ?? 0
    #expect(speed == 20 ? seconds == atLeast : seconds >= atLeast, "\(seconds) s")
  }

  @Test func afterAFailureOfTheAccelerometerTheReceiverChecksThePosition() {
    var bench = ReceiverScheduleBench(.high)
    bench.pass(600)
    bench.handle(.evidenceLost(.accelerometer))
    bench.pass(7200)
    bench.speed = 10
    bench.pass(400)
    #expect(bench.state == .tracking)
  }

  @Test(arguments: [UInt64(11), 12, 13, 14, 15, 16])
  func anySequenceOfEventsIsHandled(_ seed: UInt64) {
    var random = SplitMix64(seed: seed)
    let policies: [TrackingPolicy] = [
      .high, .within(metres: 20), .significant, .off, TrackingPolicy(moving: .none, stationary: .asMoving),
    ]
    var bench = ReceiverScheduleBench(policies[Int(seed % 3)])
    for _ in 0..<4000 {
      switch Int.random(in: 0..<12, using: &random) {
      case 0: bench.shake(Bool.random(using: &random))
      case 1: bench.hasReception = Int.random(in: 0..<4, using: &random) > 0
      case 2: bench.speed = Double.random(in: -5...40, using: &random).rounded()
      case 3:
        let source = MotionSource.allCases.randomElement(using: &random) ?? .speed
        bench.handle(.evidence(source, isActive: Bool.random(using: &random)))
      case 4: bench.handle(.positionRequested)
      case 5 where Int.random(in: 0..<20, using: &random) == 0:
        bench.handle(.policy(policies.randomElement(using: &random) ?? .high))
      default: break
      }
      bench.pass(Int.random(in: 0...30, using: &random))
      #expect(bench.schedule.state.isPowered == bench.state.isPowered)
    }
  }

  @Test(
    arguments: [
      (.off, true, .best, .off),
      (.standard, false, .metres100, TrackingPolicy(moving: .everySecond, stationary: .asMoving)),
      (.standard, true, .best, .high), (.both, true, .nav, .high),
      (.significant, false, .metres100, .significant),
    ] as [(TrackingMode, Bool, DesiredAccuracy, TrackingPolicy)])
  func theSettingsSelectOnePolicy(
    _ mode: TrackingMode, _ pause: Bool, _ accuracy: DesiredAccuracy, _ policy: TrackingPolicy
  ) {
    #expect(
      TrackingPolicy(trackingMode: mode, pausesAutomatically: pause, desiredAccuracy: accuracy) == policy)
  }

  @Test(arguments: [(DesiredAccuracy.metres10, 10.0), (.metres100, 20)])
  func withAutomaticPauseTheAccuracyIsALimit(_ accuracy: DesiredAccuracy, _ metres: Double) {
    let policy = TrackingPolicy(trackingMode: .both, pausesAutomatically: true, desiredAccuracy: accuracy)
    #expect(policy.moving == .within(metres: metres))
  }

  @Test func aReceiverThatSleepsByATimerIsSwitchedOff() {
    var bench = ReceiverScheduleBench(.high)
    bench.pass(600)
    #expect(bench.state == .backup && bench.schedule.nextTimeout != nil)
    let reported = bench.schedule.handle(.policy(.off), now: bench.now)
    #expect(reported == [.receiver(.backup, until: nil)] && bench.schedule.nextTimeout == nil)
    let again = bench.schedule.handle(.policy(.off), now: bench.now)
    #expect(again.isEmpty)
  }

  /// The policy changes before the next epoch.
  @Test func anotherPolicyDoesNotCancelARequest() {
    var bench = ReceiverScheduleBench(.high)
    bench.pass(300)
    bench.speed = 14
    bench.shake(true)
    bench.pass(60)
    #expect(bench.state == .tracking)
    bench.handle(.positionRequested)
    let before = bench.kept.count
    bench.handle(.policy(.significant))
    #expect(bench.schedule.isPositionRequested && bench.kept.count == before, "no fix is available")
    bench.pass(2)
    #expect(!bench.schedule.isPositionRequested && bench.kept.count > before)
  }

  /// The last search provided the time with an epoch after which reception ended.
  @Test func aSearchWithoutPurposeIsNotRepeated() {
    var bench = ReceiverScheduleBench(.off)
    bench.hasReception = false
    bench.handle(.timeRequested)
    #expect(bench.state == .searching)
    bench.pass(20)
    bench.handle(.timeKnown)
    bench.pass(4 * 3600)
    #expect(bench.starts == 1 && bench.schedule.nextTimeout == nil)
  }

  /// Locations are required while the search for the time still fails.
  @Test func aPolicyWithLocationsSearchesImmediately() {
    var bench = ReceiverScheduleBench(.off)
    bench.hasReception = false
    bench.handle(.timeRequested)
    bench.pass(3 * 3600)
    while bench.state.isPowered { bench.pass(10) }
    bench.hasReception = true
    bench.handle(.policy(.high))
    #expect(bench.state == .searching)
  }
}

/// Reported signal strength while there is no fix.
@Suite struct HeardSatelliteTests {
  /// A drive with reception and then without; returns the time that the receiver is on in the next 600 s.
  private static func secondsOn(received strongest: Double?) -> Double {
    var bench = ReceiverScheduleBench(.high)
    bench.pass(100)
    bench.speed = 15
    bench.shake(true)
    bench.pass(60)
    bench.hasReception = false
    let before = bench.onTime
    for _ in 0..<600 {
      bench.pass(1)
      if let strongest, bench.state == .searching { bench.handle(.received(strongest: strongest)) }
    }
    return (bench.onTime - before).inSeconds
  }

  @Test func aSearchWithSignalsIsLongerThanOneWithout() {
    let withoutSignal = Self.secondsOn(received: 0)
    let unknown = Self.secondsOn(received: nil)
    let hearing = Self.secondsOn(received: 40)
    #expect(withoutSignal <= unknown && unknown < hearing, "\(withoutSignal) \(unknown) \(hearing)")
    #expect(withoutSignal == Self.secondsOn(received: 29.9), "too weak for data")
  }
}

/// Cyclic tracking, if policy and receiver allow it.
@Suite struct CyclicModeTests {
  private static func driving(_ policy: TrackingPolicy) -> ReceiverScheduleBench {
    var bench = ReceiverScheduleBench(policy)
    bench.pass(100)
    bench.speed = 15
    bench.shake(true)
    bench.pass(120)
    return bench
  }

  @Test func cyclicTrackingIsUsedOnlyWhileOffered() {
    var bench = Self.driving(.highInCyclicMode)
    #expect(bench.state == .cyclic)
    bench.handle(.cyclicMode(isOffered: false))
    #expect(bench.state == .tracking)
    #expect(bench.pass(60).count >= 59)
    #expect(bench.state == .tracking)
    bench.handle(.cyclicMode(isOffered: true))
    bench.pass(2)
    #expect(bench.state == .cyclic)
    bench.hasReception = false
    bench.pass(1)
    #expect(bench.state == .searching, "a search runs at full power")
  }

  @Test func unsteadyReceptionDoesNotSwitchTheModeEachTime() {
    var bench = Self.driving(.highInCyclicMode)
    var entries = 0
    for second in 0..<1200 {
      bench.hasReception = second % 20 != 0
      let before = bench.state
      bench.pass(1)
      if before != .cyclic, bench.state == .cyclic { entries += 1 }
    }
    #expect((1...20).contains(entries), "once a minute at most: \(entries)")
  }

  @Test func cyclicTrackingIsNotUsedUnlessAllowed() {
    var bench = Self.driving(.high)
    bench.handle(.cyclicMode(isOffered: true))
    bench.pass(10)
    #expect(bench.state == .tracking)
  }

  /// A receiver that has not reported yet offers nothing.
}
