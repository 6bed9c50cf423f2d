import Energy
import Quantities
import Testing
import Scheduling

/// A receiver whose supply can be cut, and one that falls silent.
@Suite struct SupplyCutTests {
  static func currents(off: Double?) -> ReceiverCurrents {
    var currents = ReceiverCurrents.neoM8N
    currents.backup = 0.165
    currents.off = off
    return currents
  }

  /// With 31 mA and half a minute more for a cold start, the cut pays off after 1.6 h if 0.165 mA are saved.
  static let pauses: [(off: Double?, coldStart: Duration?, pause: Duration?, depth: SleepDepth)] = [
    (nil, nil, nil, .backup), (nil, .seconds(30), .seconds(86_400), .backup),
    (0.165, nil, nil, .backup), (0.2, nil, .seconds(86_400), .backup),
    (0.015, nil, .seconds(1), .off), (0.015, nil, nil, .off),
    (0, .seconds(30), .seconds(5600), .backup), (0, .seconds(30), .seconds(5700), .off),
    (0, .seconds(30), nil, .off), (0, .seconds(30), .seconds(-5), .backup),
  ]

  @Test(arguments: pauses)
  func theSupplyIsCutIfThatSavesMoreThanTheNextStartCosts(
    _ row: (off: Double?, coldStart: Duration?, pause: Duration?, depth: SleepDepth)
  ) {
    let depth = SleepDepth.ofPause(
      row.pause, coldStart: row.coldStart, currents: Self.currents(off: row.off))
    #expect(depth == row.depth)
  }

  @Test func withABackupSupplyTheSupplyIsCutWhileStationaryAndTheNextStartIsHot() {
    var bench = ReceiverScheduleBench(.high, currents: Self.currents(off: 0.015))
    bench.pass(300)
    #expect(bench.state == .off && bench.schedule.state == .off)
    bench.speed = 10
    bench.shake(true)
    #expect(bench.state == .searching && bench.schedule.ephemerides.hotProbability(now: bench.now) == 1)
    bench.pass(60)
    #expect(bench.state.isPowered)
  }

  @Test func withoutABackupSupplyOnlyALongSleepCutsTheSupply() {
    var bench = ReceiverScheduleBench(.high, currents: Self.currents(off: 0), hasBackupSupply: false)
    bench.pass(300)
    #expect(bench.state == .backup)
    #expect(bench.schedule.ephemerides.lastRead != nil)
    bench.handle(.policy(.off))
    #expect(bench.state == .off && bench.schedule.state == .off)
    #expect(bench.schedule.ephemerides.lastRead == nil, "the ephemerides are lost")
    bench.handle(.policy(.high))
    #expect(bench.state == .searching)
  }

  @Test(arguments: [false, true])
  func aReceiverThatFallsSilentWhileMovingIsSearchedWithBackOff(isCyclic: Bool) {
    var policy = TrackingPolicy.high
    policy.usesCyclicMode = isCyclic
    var bench = ReceiverScheduleBench(policy)
    bench.pass(300)
    bench.speed = 10
    bench.shake(true)
    bench.pass(120)
    #expect(bench.state == (isCyclic ? .cyclic : .tracking))
    bench.isMute = true
    bench.pass(300)
    #expect(bench.state.isPowered, "epochs may be deferred for that long")
    var sleeping = 0
    for _ in 0..<240 {
      bench.pass(5)
      if bench.state == .backup { sleeping += 1 }
    }
    #expect(sleeping > 120, "asleep for more than half of the time")
    bench.shake(false)
    bench.pass(300)
    let starts = bench.starts
    bench.pass(8 * 3600)
    #expect((2...12).contains(bench.starts - starts))
    bench.isMute = false
    bench.shake(true)
    bench.pass(60)
    #expect(bench.state.isPowered && bench.schedule.state != .searching)
  }

  /// It does not report satellites, and its supply was interrupted: a start takes longer than known.
  @Test func unnoticedLossOfEphemeridesDoesNotFailEverySearch() {
    var bench = ReceiverScheduleBench(.high)
    bench.pass(300)
    #expect(bench.schedule.ephemerides.hotProbability(now: bench.now) == 1)
    bench.timeToFirstFix = 27
    bench.speed = 14
    bench.shake(true)
    bench.pass(240)
    #expect(bench.state == .tracking)
  }
}
