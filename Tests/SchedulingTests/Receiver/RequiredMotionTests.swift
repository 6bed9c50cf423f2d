import Energy
import Quantities
import Testing
import Scheduling

/// Trace's required motion duration: a change must hold.
@Suite struct RequiredMotionTests {
  private static func bench(_ required: Duration) -> ReceiverScheduleBench {
    var policy = TrackingPolicy.high
    policy.requiredMotion = required
    return ReceiverScheduleBench(policy)
  }

  @Test(arguments: [1, 5, 30, 60])
  func motionWakesTheReceiverAfterTheRequiredDuration(_ seconds: Int) {
    var bench = Self.bench(.seconds(seconds))
    bench.pass(600)
    bench.shake(true)
    bench.pass(seconds - 1)
    #expect(bench.state == .backup)
    bench.pass(1)
    #expect(bench.state == .searching)
  }

  @Test func aRelapseRestartsTheRequiredDuration() {
    var bench = Self.bench(.seconds(30))
    bench.pass(600)
    bench.shake(true)
    bench.pass(25)
    bench.shake(false)
    bench.pass(10)
    bench.shake(true)
    bench.pass(29)
    #expect(bench.state == .backup)
    bench.pass(1)
    #expect(bench.state == .searching)
  }

  /// Motion that begins during a position check and has not held long enough at its end.
  @Test func theEndOfAPositionCheckKeepsTheRequiredDuration() {
    var bench = Self.bench(.seconds(30))
    bench.pass(600)
    var waited = 0
    while bench.state == .backup, waited < 1000 {
      bench.pass(1)
      waited += 1
    }
    bench.shake(true)
    bench.pass(20)
    #expect(bench.state == .backup, "the check is over")
    bench.pass(10)
    #expect(bench.state.isPowered)
  }

  @Test func theEndOfMotionRequiresTheSameDuration() {
    var bench = Self.bench(.seconds(60))
    bench.pass(600)
    bench.shake(true)
    bench.speed = 10
    bench.pass(200)
    bench.shake(false)
    bench.speed = 0
    bench.pass(55)
    #expect(bench.state == .tracking && bench.kept.last == .period)
    bench.speed = 10
    bench.pass(10)
    bench.speed = 0
    bench.pass(60)
    #expect(bench.state == .tracking)
    bench.pass(80)
    #expect(bench.state == .backup && bench.kept.contains(.arrival))
  }

  @Test func aShorterRequiredDurationAppliesImmediately() {
    var bench = Self.bench(.seconds(3600))
    bench.pass(600)
    bench.shake(true)
    bench.pass(60)
    #expect(bench.state == .backup)
    bench.handle(.policy(.high))
    bench.pass(1)
    #expect(bench.state == .searching)
  }
}
