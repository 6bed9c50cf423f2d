import Energy
import Quantities
import Testing
import Scheduling

/// `resume_with_geofence`: resumes in addition to motion and speed.
@Suite struct FenceTests {
  private static func bench(fence: Double?, hasAccelerometer: Bool = true) -> ReceiverScheduleBench {
    var policy = TrackingPolicy.high
    policy.resumeDistance = fence
    var bench = ReceiverScheduleBench(policy, hasAccelerometer: hasAccelerometer)
    bench.pass(1200)
    return bench
  }

  @Test(arguments: [nil, 100, 1000, 100_000] as [Double?])
  func motionByASensorResumesImmediatelyWithinTheGeofence(fence: Double?) {
    var bench = Self.bench(fence: fence)
    bench.shake(true)
    bench.speed = 1.4
    let kept = bench.pass(30)
    #expect(kept.contains(.departure) && bench.state == .tracking, "\(kept)")
    #expect(bench.pass(60).count >= 58, "recording continues")
  }

  /// The sensor detects nothing: the next position check happens during the movement.
  @Test(arguments: [nil, 100, 100_000] as [Double?], [true, false])
  func aCertainSpeedResumesWithinTheGeofence(fence: Double?, hasAccelerometer: Bool) {
    var bench = Self.bench(fence: fence, hasAccelerometer: hasAccelerometer)
    bench.speed = 2
    var seconds = 0
    while !bench.state.isPowered, seconds < 2000 {
      bench.pass(1)
      seconds += 1
    }
    let kept = bench.pass(40)
    #expect(kept.contains(.departure) || kept.contains(.change), "\(kept)")
    #expect(bench.state == .tracking && kept.count > 20)
  }

  struct Case: Sendable, CustomTestStringConvertible {
    var promise: String
    /// Metres: the radius, and the position of the device when a check finds it stationary.
    var fence: Double?
    var north: Double
    var isResumed: Bool
    var testDescription: String { promise }
  }

  static let cases = [
    Case(promise: "moved out of the geofence", fence: 100, north: 200, isResumed: true),
    Case(promise: "moved within the geofence", fence: 300, north: 200, isResumed: false),
    Case(promise: "outside, but within the uncertainty", fence: 190, north: 200, isResumed: false),
    Case(promise: "moved far without a geofence", fence: nil, north: 600, isResumed: true),
    Case(promise: "moved a little without a geofence", fence: nil, north: 200, isResumed: false),
    Case(promise: "a geofence wider than main.check_distance", fence: 2000, north: 600, isResumed: true),
  ]

  @Test(arguments: cases)
  func aDeviceMovedUnnoticedResumesOutsideTheGeofence(_ test: Case) {
    var bench = Self.bench(fence: test.fence)
    bench.north = test.north
    bench.accuracy = (first: 6, later: 6)
    let kept = bench.pass(4000)
    #expect(kept.contains(.change) == test.isResumed, "\(kept)")
  }
}
