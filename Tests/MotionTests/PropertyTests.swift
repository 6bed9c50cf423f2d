import Foundation
import Quantities
import Testing

import Motion

@Suite struct PropertyTests {
  /// Stationary, a walk, stationary, a run, a drive.
  static let day = MadeUpMotion.stationary.then(.walk, at: 30).then(.stationary, at: 70).then(.run, at: 100)
    .then(
      .road, at: 140)

  @Test(arguments: [1, 2, 3, 4, 5] as [UInt64]) func theOrientationOfTheDeviceDoesNotMatter(seed: UInt64) {
    var random = SplitMix64(seed: seed)
    let axis = SIMD3<Double>.random(in: -1...1, using: &random)
    let angle = Double.random(in: 0...6.28, using: &random)
    let straight = classify(Self.day.samples(seconds: 200, rate: 25), rate: 25)
    let turned = classify(
      Self.day.samples(seconds: 200, rate: 25, turned: turn(about: axis, by: angle)), rate: 25)
    let same = zip(straight, turned).count { $0.states == $1.states }
    // The resolution steps are along the axes of the accelerometer, so single seconds at a transition may differ.
    #expect(same >= 196, "seed \(seed): \(same) of 200")
    #expect(abs(Int(straight.last?.steps ?? 0) - Int(turned.last?.steps ?? 0)) <= 3)
  }

  @Test(arguments: [0.9, 0.95, 1.05, 1.1]) func aMeasuredRateDeviationDoesNotMatter(factor: Double) {
    let exact = classify(Self.day.samples(seconds: 200, rate: 25), rate: 25)
    let off = classify(Self.day.samples(seconds: 200, rate: 25 * factor), rate: 25 * factor)
    let same = zip(exact, off).count { $0.states == $1.states }
    #expect(same >= 192, "\(same) of 200")
    #expect(abs(Int(exact.last?.steps ?? 0) - Int(off.last?.steps ?? 0)) <= 5)
  }

  @Test(arguments: [1, 2, 3, 4, 5, 6, 7, 8] as [UInt64]) func theLengthOfBurstsDoesNotMatter(seed: UInt64) {
    // At 25 Hz the period is a whole number of nanoseconds, so burst boundaries do not shift samples.
    let samples = Self.day.samples(seconds: 200, rate: 25)
    let whole = classify(samples, rate: 25, burst: samples.count)
    var random = SplitMix64(seed: seed)
    var classifier = MotionClassifier()
    var cut: [MotionAnswer] = []
    var begin = 0
    while begin < samples.count {
      let end = min(samples.count, begin + Int.random(in: 1...90, using: &random))
      classifier.take(
        samples[begin..<end], first: Moment(nanoseconds: Int64(begin) * 40_000_000), rate: 25
      ) { cut.append($0) }
      begin = end
    }
    classifier.finish { cut.append($0) }
    #expect(cut == whole, "seed \(seed)")
  }

  @Test(arguments: [1, 2, 3] as [UInt64]) func noInputTraps(seed: UInt64) {
    var random = SplitMix64(seed: seed)
    var classifier = MotionClassifier()
    let odd: [Float] = [.nan, .infinity, -.infinity, 0, 1, 1e30, -1e-30, 16, -0.5, 64]
    for _ in 0..<3000 {
      let samples = (0..<Int.random(in: 0...4, using: &random)).map { _ in
        SIMD3(odd.randomElement(using: &random) ?? 0, odd.randomElement(using: &random) ?? 0, 1)
      }
      let first = Moment(
        nanoseconds: Bool.random(using: &random)
          ? Int64.random(in: .min ... .max, using: &random)
          : Int64.random(in: 0...9_000_000_000, using: &random))
      let rate = [25, 0, -1, .nan, .infinity, 1e-9, 1e9, 100].randomElement(using: &random) ?? 1
      if Bool.random(using: &random) {
        classifier.take(
          SpeedReading(
            speed: odd.randomElement(using: &random) ?? 0, accuracy: odd.randomElement(using: &random),
            at: first))
      }
      classifier.take(samples, first: first, rate: rate, isAfterGap: Bool.random(using: &random)) { answer in
        #expect(answer.steps < 1_000_000)
      }
      if Int.random(in: 0...50, using: &random) == 0 { _ = classifier.stationary(until: first) }
    }
  }
}
