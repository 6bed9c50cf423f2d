import Foundation
import Testing

@testable import Motion

@Suite struct StepCounterTests {
  /// Returns the steps of a signal of the vector length with the given activity per second.
  func steps(seconds: Int, activity: (Int) -> Activity?, length: (Double) -> Double) -> UInt64 {
    var extractor = FeatureExtractor()
    var counter = StepCounter()
    var sum: UInt64 = 0
    for second in 0..<seconds {
      for index in 0..<25 {
        extractor.add(SIMD3(0, 0, Float(1 + length(Double(second * 25 + index) / 25))))
      }
      extractor.close()
      sum += counter.take(
        extractor.rhythm, deviation: extractor.block(0).lengthVariance.squareRoot(),
        activity: activity(second))
    }
    return sum + counter.finish()
  }

  @Test(arguments: [1.5, 1.7, 1.95, 2.2]) func everyStepIsCountedIfOnlyTheStrideIsVisible(cadence: Double) {
    let counted = steps(seconds: 120, activity: { _ in .walking }) { t in
      let stride = Double.pi * cadence * t
      return 0.25 * sin(stride + 0.3) + 0.08 * sin(2 * stride) + 0.05 * sin(4 * stride)
    }
    #expect(abs(Double(counted) - 120 * cadence) < 0.02 * 120 * cadence + 2, "\(counted)")
  }

  @Test(arguments: [2.4, 2.7, 3.1]) func runningStepsAreCounted(cadence: Double) {
    let counted = steps(seconds: 120, activity: { _ in .running }) { t in
      sin(2 * .pi * cadence * t) + 0.2 * sin(.pi * cadence * t)
    }
    #expect(abs(Double(counted) - 120 * cadence) < 0.02 * 120 * cadence + 2, "\(counted)")
  }

  @Test(arguments: [Activity.cycling, .driving, .stationary]) func aRhythmCountsOnlyWhileWalking(
    activity: Activity
  ) {
    #expect(steps(seconds: 120, activity: { _ in activity }, length: { 0.3 * sin(2 * .pi * 1.8 * $0) }) == 0)
  }

  @Test func theFirstStepsAreAddedOnceTheActivityIsKnown() {
    let counted = steps(seconds: 30, activity: { $0 < 10 ? .stationary : .walking }) {
      0.3 * sin(2 * .pi * 2 * $0)
    }
    #expect(abs(Int(counted) - 60) <= 3, "\(counted)")
  }

  @Test func fewUnevenMovementsAreNoSteps() {
    let counted = steps(seconds: 60, activity: { _ in .walking }) { t in
      t.truncatingRemainder(dividingBy: 17) < 1.5 ? 0.3 * sin(2 * .pi * 1.9 * t) : 0
    }
    #expect(counted == 0, "\(counted)")
  }

  /// The activity starts before and ends after the walk, as in practice.
  @Test func handlingBeforeAndAfterAWalkIsNoStep() {
    let counted = steps(seconds: 60, activity: { _ in .walking }) { t in
      switch t {
      case ..<6: 1.2 * sin(9 * t) * sin(23 * t * t)
      case ..<50: 0.3 * sin(2 * .pi * 1.8 * t)
      default: 0.11 * sin(2 * .pi * 1.6 * t)
      }
    }
    #expect(abs(Double(counted) - 44 * 1.8) <= 4, "\(counted)")
  }

  @Test func aSoftSecondDoesNotInterruptAWalk() {
    let counted = steps(seconds: 60, activity: { _ in .walking }) { t in
      (30..<31).contains(t) ? 0.1 * sin(2 * .pi * 1.8 * t) : 0.3 * sin(2 * .pi * 1.8 * t)
    }
    #expect(abs(Double(counted) - 60 * 1.8) <= 2, "\(counted)")
  }
}
