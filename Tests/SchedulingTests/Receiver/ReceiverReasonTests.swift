import Quantities
import Scheduling
import Testing

/// The sentence that explains the state of the receiver.
@Suite struct ReceiverReasonTests {
  private static func reason(_ bench: ReceiverScheduleBench, showsSpeed: Bool = true) -> ReceiverReason {
    bench.schedule.reason(now: bench.now, showsSpeed: showsSpeed)
  }

  @Test func aSleepingReceiverNamesItsSensorAndTheNextCheck() {
    var bench = ReceiverScheduleBench(.high)
    #expect(Self.reason(bench).sentence == "search for the first position")
    #expect(Self.reason(bench).acquisitionEnds ?? .zero > bench.now)
    bench.pass(1200)
    let reason = Self.reason(bench)
    #expect(reason.sentence == "stationary: no motion by accelerometer")
    #expect(reason.nextCheckPurpose == "position check" && reason.acquisitionEnds == nil)
    #expect(reason.nextCheck == bench.schedule.nextTimeout)
  }

  @Test func aMovingReceiverNamesItsSourcesAndTheSpeed() {
    var bench = ReceiverScheduleBench(.high)
    bench.pass(1200)
    bench.shake(true)
    bench.speed = 13.2
    bench.pass(40)
    #expect(Self.reason(bench).sentence == "moving: accelerometer, 13.2 m/s")
    #expect(Self.reason(bench).nextCheck == nil)
  }

  @Test func inAPrivacyZoneTheSentenceHasNoSpeed() {
    var bench = ReceiverScheduleBench(.high)
    bench.speed = 13.2
    bench.shake(true)
    bench.pass(60)
    #expect(Self.reason(bench, showsSpeed: false).sentence == "moving: accelerometer")
  }

  @Test func aFailedSearchSaysWhenTheNextFollows() {
    var bench = ReceiverScheduleBench(.high)
    bench.hasReception = false
    var seconds = 0
    while bench.state.isPowered, seconds < 3600 {
      bench.pass(1)
      seconds += 1
    }
    let reason = Self.reason(bench)
    #expect(reason.sentence == "no reception: the search for the first position failed")
    #expect(
      reason.nextCheckPurpose == "next search after the back-off" && reason.nextCheck ?? .zero > bench.now)
  }

  @Test(arguments: [
    (TrackingPolicy.off, "off"), (.high, "continuous"), (.highInCyclicMode, "cyclic"),
    (.within(metres: 50), "error_bounded"), (.stopsOnly, "sparse"),
  ])
  func aPolicyHasAKind(policy: TrackingPolicy, kind: String) { #expect(policy.kind == kind) }
}
