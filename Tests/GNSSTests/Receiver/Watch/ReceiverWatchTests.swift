import GNSSProtocol
import GNSSReceiver
import Quantities
import Testing

@Suite struct ReceiverWatchTests {
  private func seconds(_ value: Int64) -> Moment { .zero + .seconds(value) }

  @Test func aHealthyDayStationaryAndMovingGivesNoEvents() {
    var bench = WatchBench()
    bench.run(20_000, movingFix)
    bench.run(40_000, parkedFix)
    bench.run(26_400, movingFix)
    #expect(bench.actions.isEmpty && bench.watch.faults.isEmpty)
  }

  @Test func silenceIsReportedOnceAndRecoveredWithBackOff() {
    var bench = WatchBench()
    bench.run(10, movingFix)
    bench.pass(seconds: 1000)
    let times = bench.actions.map(\.at)
    #expect(times == [40, 40, 85, 160, 250, 370, 970])
    #expect(
      bench.taken() == [
        .event(.began(.silent, .noBytes(since: seconds(10)))), .remedy(.reopen, against: .silent),
        .remedy(.findAgain, against: .silent), .remedy(.warmStart, against: .silent),
        .remedy(.powerCycle, against: .silent),
        .backOff(.silent, tried: RecoveryStep.allCases, until: seconds(970)),
        .remedy(.reopen, against: .silent),
      ])
    // Without this data, the next search would begin at 1015 s.
    bench.run(60, movingFix)
    #expect(bench.taken() == [.event(.ended(.silent, lasted: .seconds(1011 + 20 - 40)))])
  }

  @Test func expectedSilenceIsNoFaultAndStoredEpochsAreCheckedByTheirOwnTimes() {
    var bench = WatchBench()
    bench.run(20, movingFix)
    for _ in 0..<20 {
      let start = bench.second
      bench.handle(.quiet(until: bench.now + .seconds(300)))
      bench.pass(seconds: 280)
      for second in (start + 1)...(start + 280) {
        _ = bench.watch.handle(.epoch(movingFix(second)), now: .zero + .seconds(second))
      }
      bench.handle(.received(bytes: 30_240, frames: 281))
    }
    #expect(bench.actions.isEmpty && bench.watch.faults.isEmpty)
    bench.handle(.quiet(until: bench.now + .seconds(300)))
    bench.pass(seconds: 329)
    #expect(bench.actions.isEmpty)
    bench.pass(seconds: 2)
    #expect(bench.watch.faults == [.silent])
    bench.run(60, movingFix)
    bench.handle(.quiet(until: nil))
    _ = bench.taken()
    bench.pass(seconds: 31)
    #expect(bench.watch.faults == [.silent], "without expected silence the usual limit applies")
  }

  @Test func aDayOfSilenceLengthensTheBackOff() {
    var bench = WatchBench()
    bench.pass(seconds: 86_400)
    let backOffs = bench.actions.compactMap { entry -> Int64? in
      guard case .backOff(_, _, let until) = entry.action else { return nil }
      return until.nanoseconds / 1_000_000_000 - entry.at
    }
    let expected: [Int64] = [600, 1200, 2400, 4800, 9600, 19_200, 21_600, 21_600, 21_600]
    #expect(backOffs == Array(expected.prefix(backOffs.count)))
    #expect(backOffs.count >= 6 && bench.actions.count < 50)
  }

  @Test(arguments: [
    (true, true, RecoveryStep.allCases), (false, true, [.reopen, .findAgain, .powerCycle]),
    (true, false, [.reopen, .findAgain, .warmStart]), (false, false, [.reopen, .findAgain]),
  ]) func withoutPermissionNothingIsWritten(mayWrite: Bool, wired: Bool, tried: [RecoveryStep]) {
    var bench = WatchBench(mayWrite: mayWrite, canCyclePower: wired)
    bench.pass(seconds: 400)
    let last = bench.actions.last?.action
    guard case .backOff(.silent, let recoverySteps, _)? = last else {
      Issue.record("no rest but \(String(describing: last))")
      return
    }
    #expect(recoverySteps == tried)
  }

  @Test func aWrongBaudRateIsCorrected() {
    var bench = WatchBench()
    bench.run(10, movingFix)
    for _ in 0..<15 {
      bench.pass(seconds: 1)
      bench.handle(.received(bytes: 200, frames: 0))
    }
    #expect(
      bench.taken() == [
        .event(.began(.unreadable, .bytesWithoutFrame(11 * 200, since: seconds(11)))),
        .remedy(.findAgain, against: .unreadable),
      ])
    bench.handle(.opened)
    bench.run(40, movingFix)
    guard case .event(.ended(.unreadable, _))? = bench.taken().first else {
      Issue.record("not ended")
      return
    }
  }

  @Test func aRelapseContinuesWithTheNextRecoveryStep() {
    var bench = WatchBench()
    func garble(_ seconds: Int) {
      for _ in 0..<seconds {
        bench.pass(seconds: 1)
        bench.handle(.received(bytes: 200, frames: 0))
      }
    }
    garble(30)
    bench.run(10, movingFix)
    garble(100)
    #expect(
      bench.taken().dropFirst() == [
        .remedy(.findAgain, against: .unreadable), .remedy(.powerCycle, against: .unreadable),
      ])
    bench.run(2000, movingFix)
    garble(30)
    #expect(bench.taken().last == .remedy(.findAgain, against: .unreadable))
  }

  @Test func aSingleFrameDoesNotProveALine() {
    var bench = WatchBench()
    for second in 0..<120 {
      bench.pass(seconds: 1)
      bench.handle(.received(bytes: 200, frames: 0))
      if second == 30 { bench.handle(.received(bytes: 80, frames: 1)) }
    }
    #expect(bench.watch.faults == [.unreadable])
  }

  @Test func anUnchangedPositionInMotionIsFrozen() {
    var bench = WatchBench()
    bench.run(100, parkedFix)
    var frozen = movingFix(100)
    bench.run(15) { second in
      frozen.timestamp = movingFix(second).timestamp
      frozen.millisecondOfDay = movingFix(second).millisecondOfDay
      return frozen
    }
    let requested = bench.taken()
    #expect(
      requested == [
        .event(.began(.frozen, .samePosition(speed: 3, since: seconds(102)))),
        .remedy(.reopen, against: .frozen),
      ])
    bench.run(40, movingFix)
    #expect(bench.watch.faults.isEmpty)
  }

  @Test func aRepeatedFixIsFrozenAndAStoppedClockIsAnImpossibleTime() {
    var bench = WatchBench()
    bench.run(10, movingFix)
    bench.run(15) { _ in parkedFix(10) }
    #expect(bench.watch.faults == [.frozen])
    bench = WatchBench()
    bench.run(10, movingFix)
    bench.run(15) { second in
      var fix = movingFix(second)
      fix.timestamp = movingFix(10).timestamp
      fix.millisecondOfDay = movingFix(10).millisecondOfDay
      return fix
    }
    #expect(bench.watch.faults == [.impossibleTime])
  }

  @Test(
    arguments: [
      (-3600, WatchEvidence.timeFellBack(by: .seconds(3599))), (3600, .timeJumped(by: .seconds(3600))),
      (11, .timeJumped(by: .seconds(11))), (9, nil), (-3, nil),
      (-619_315_200, .timeFellBack(by: .seconds(619_315_199))),
    ] as [(Int64, WatchEvidence?)]) func aSingleTimeStepIsReportedWithoutARecoveryStep(
      step: Int64, evidence: WatchEvidence?
    )
  {
    var bench = WatchBench()
    bench.run(100, movingFix)
    bench.run(100) { second in
      var fix = movingFix(second)
      fix.timestamp = movingFix(second + step).timestamp
      return fix
    }
    let requested = bench.taken()
    guard let evidence else {
      #expect(requested.isEmpty)
      return
    }
    #expect(requested.count == 2 && requested.first == .event(.began(.impossibleTime, evidence)))
  }

  @Test func aClockThatKeepsJumpingCausesARestart() {
    var bench = WatchBench()
    bench.run(200) { second in
      var fix = movingFix(second)
      if second / 5 % 2 == 1 { fix.timestamp = movingFix(second + 5000).timestamp }
      return fix
    }
    let recoverySteps = bench.actions.filter { if case .remedy = $0.action { true } else { false } }
    #expect(
      recoverySteps.first?.action == .remedy(.warmStart, against: .impossibleTime) && recoverySteps.count <= 2
    )
  }

  @Test func bytesBufferedDuringASuspendedNightAreNoFault() {
    var bench = WatchBench()
    bench.run(100, movingFix)
    // Two seconds of data from the evening stayed in the kernel until the morning.
    bench.handle(.asleep)
    bench.pass(seconds: 30_000)
    bench.handle(.awake)
    for old in [Int64(101), 102] { bench.handle(.epoch(movingFix(old))) }
    #expect(bench.actions.isEmpty)
  }

  @Test func aBufferedBacklogWithoutSleepIsNoTimeJump() {
    var bench = WatchBench()
    bench.run(100, movingFix)
    bench.now = bench.now + .seconds(25)
    for old in Int64(101)...125 { bench.handle(.epoch(movingFix(old))) }
    bench.run(60, movingFix)
    #expect(bench.actions.isEmpty)
  }

  @Test func halfAnHourAwakeWithoutAFixIsReported() {
    var bench = WatchBench()
    bench.run(10, movingFix)
    // Sparse fixes: awake 90 s of every hour.
    for _ in 0..<19 {
      bench.handle(.asleep)
      bench.pass(seconds: 3510)
      bench.handle(.awake)
      bench.run(90, noFix)
    }
    #expect(bench.taken().isEmpty)
    bench.run(120, noFix)
    #expect(
      bench.taken() == [
        .event(.began(.withoutFix, .noFix(for: .seconds(1800)))), .remedy(.warmStart, against: .withoutFix),
      ])
    bench.run(11, movingFix)
    #expect(bench.watch.faults.isEmpty)
  }

  @Test func anAntennaFaultIsReportedWithoutARestart() {
    var bench = WatchBench()
    bench.run(5, movingFix)
    bench.handle(.answer(.antenna(.open)))
    bench.run(4000, noFix)
    bench.handle(.answer(.antenna(.unknown)))
    let kinds = bench.taken()
    #expect(kinds.count == 2 && kinds.first == .event(.began(.antennaOpen, .antenna(.open))))
    bench.handle(.answer(.antenna(.short)))
    bench.run(70, movingFix)
    #expect(bench.watch.faults == [.antennaShort])
    bench.handle(.answer(.antenna(.ok)))
    bench.run(70, movingFix)
    #expect(bench.watch.faults.isEmpty)
  }

  /// Polled every ten minutes, like a running u-blox receiver.
  @Test func spoofingIsReportedOnceWithItsEndAndWithoutARestart() {
    var bench = WatchBench()
    bench.run(5, movingFix)
    for state in [SpoofingState.ok, .indicated, .unknown, .multiple, .ok] {
      bench.handle(.answer(.spoofing(state)))
      bench.run(600, movingFix)
    }
    let actions = bench.taken()
    #expect(actions.first == .event(.began(.spoofed, .spoofing(.indicated))))
    guard actions.count == 2, case .event(.ended(.spoofed, let lasted)) = actions[1] else {
      Issue.record("\(actions)")
      return
    }
    #expect((.seconds(1800)...(.seconds(1860))).contains(lasted))
  }

  @Test func intermittentJammingIsReportedLessAndLess() {
    var bench = WatchBench()
    for minute in 0..<360 {
      bench.handle(.answer(.jamming(minute % 4 < 2 ? .critical : .ok)))
      bench.run(60, movingFix)
    }
    #expect((2...12).contains(bench.actions.count))
  }

  @Test func nothingIsMonitoredDuringARequestedSleep() {
    var bench = WatchBench()
    bench.run(10, movingFix)
    bench.handle(.asleep)
    #expect(bench.watch.nextTimeout == nil)
    bench.pass(seconds: 100_000)
    bench.handle(.received(bytes: 5000, frames: 0))
    bench.handle(.awake)
    bench.pass(seconds: 29)
    #expect(bench.actions.isEmpty)
    bench.pass(seconds: 1)
    #expect(bench.watch.faults == [.silent])
  }

  @Test func noRecoveryStepFollowsDirectlyAfterAWakeUp() {
    var bench = WatchBench()
    bench.pass(seconds: 40)
    bench.handle(.asleep)
    bench.pass(seconds: 3600)
    _ = bench.taken()
    bench.handle(.awake)
    bench.pass(seconds: 29)
    #expect(bench.taken().isEmpty)
    bench.pass(seconds: 20)
    #expect(bench.taken() == [.remedy(.findAgain, against: .silent)])
  }
}
