import Energy
import GNSS
import Quantities
import Testing

@testable import Tracking

/// `resume_with_geofence`: each look asks for the cheapest fix that decides it.
@Suite struct FenceTests {
  struct Case: Sendable, CustomTestStringConvertible {
    var promise: String
    /// Metres: the fence, and where the box is from the place of rest.
    var fence: Double
    var north: Double
    /// Of the first fixes, m.
    var accuracy: Double
    /// Seconds of the receiver for the look.
    var seconds: ClosedRange<Int>
    var isResumed = false
    var testDescription: String { promise }
  }

  static let cases = [
    Case(promise: "well inside, by a good fix", fence: 1000, north: 100, accuracy: 4, seconds: 1...3),
    Case(promise: "well inside, by a poor fix", fence: 1000, north: 100, accuracy: 200, seconds: 1...3),
    Case(promise: "near the border, by a poor fix", fence: 1000, north: 900, accuracy: 200, seconds: 5...8),
    Case(promise: "near the border, by a good fix", fence: 1000, north: 900, accuracy: 15, seconds: 1...3),
    Case(
      promise: "outside for certain", fence: 1000, north: 1500, accuracy: 18, seconds: 5...60, isResumed: true
    ),
    Case(
      promise: "outside as far as the better fix tells", fence: 1000, north: 1060, accuracy: 200,
      seconds: 5...60, isResumed: true),
  ]

  @Test(arguments: cases)
  func aLookEndsWithTheFirstFixThatDecides(_ test: Case) {
    var scheme = ReceiverScheme.high
    scheme.resumeDistance = test.fence
    var bench = PlanBench(scheme)
    bench.pass(1200)
    // A first look tells that it moves, near the place of rest; then it is carried on.
    bench.shake(true)
    bench.speed = 0.5
    bench.pass(30)
    bench.speed = 0
    bench.north = test.north
    bench.accuracy.first = test.accuracy
    var waited = 0
    while !bench.state.isPowered, waited < 1000 {
      bench.pass(1)
      waited += 1
    }
    let before = bench.onTime
    var kept: [KeepReason] = []
    var seconds = 0
    while bench.state.isPowered, seconds < 60 {
      kept += bench.pass(1)
      seconds += 1
    }
    #expect(test.seconds.contains(Int((bench.onTime - before).inSeconds)), "\(bench.onTime - before)")
    #expect(kept.contains(.departure) == test.isResumed)
  }
}
