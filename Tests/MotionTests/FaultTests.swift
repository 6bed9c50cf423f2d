import Quantities
import Testing

import Motion

@Suite struct FaultTests {
  static let rate = 25.0

  static func burst(_ index: Int) -> Moment { .zero + .seconds(index) }

  @Test func anOverrunIsCountedAndTheWalkContinues() {
    let samples = MadeUpMotion.walk.samples(seconds: 120, rate: Self.rate)
    var classifier = MotionClassifier()
    var answers: [MotionAnswer] = []
    // Every tenth second loses 15 samples, like a FIFO that is read too late.
    for second in 0..<120 {
      let lost = second % 10 == 9 ? 15 : 0
      classifier.take(
        samples[(second * 25 + lost)..<(second * 25 + 25)],
        first: Self.burst(second) + .milliseconds(40 * lost),
        rate: Self.rate, isAfterGap: lost > 0
      ) { answers.append($0) }
    }
    #expect(classifier.faults.gaps >= 12)
    #expect(share(.walking, answers.dropFirst(8)) == 1)
  }

  @Test func aPauseKeepsTheAnswerAndThenIsUnknown() {
    let samples = MadeUpMotion.walk.samples(seconds: 30, rate: Self.rate)
    var classifier = MotionClassifier()
    var answers: [MotionAnswer] = []
    classifier.take(samples, first: .zero, rate: Self.rate) { answers.append($0) }
    classifier.take(samples, first: Self.burst(90), rate: Self.rate) { answers.append($0) }
    #expect(answers[30..<38].allSatisfy { $0.states == .walking })
    #expect(answers[45..<90].allSatisfy { $0.states.isEmpty && $0.confidence == .low })
    #expect(classifier.faults.gaps == 1)
    #expect(classifier.faults.thinSeconds >= 59)
  }

  @Test func aHungAccelerometerDuringAWalkIsNotStationary() {
    var samples = MadeUpMotion.walk.samples(seconds: 60, rate: Self.rate)
    let hung = samples.firstIndex { $0.z > 1.35 } ?? 0
    for index in 1000 + hung % 25..<samples.count { samples[index] = samples[hung] }
    var classifier = MotionClassifier()
    let answers = classify(samples, rate: Self.rate, classifier: &classifier)
    #expect(share(.stationary, answers) == 0)
    #expect(classifier.faults.stuckSeconds > 15)
  }

  @Test func clippingIsCountedAndARunRemainsARun() {
    let samples = MadeUpMotion.gait(2.8, amplitude: 1.6, impact: 0.4).samples(seconds: 60, rate: 50).map {
      $0.clamped(lowerBound: SIMD3(repeating: -2), upperBound: SIMD3(repeating: 2))
    }
    var classifier = MotionClassifier()
    let answers = classify(samples, rate: 50, classifier: &classifier)
    #expect(classifier.faults.clipped > 100)
    #expect(share(.running, answers.dropFirst(8)) > 0.9)
  }

  @Test(arguments: [1, 5, 25], [SIMD3<Float>(16, 16, 16), SIMD3(0, 0, 16), SIMD3(-8, 0.2, 1)])
  func aConstantClippedValueChangesNothing(count: Int, reading: SIMD3<Float>) {
    var samples = MadeUpMotion.walk.samples(seconds: 60, rate: Self.rate)
    let clean = classify(samples, rate: Self.rate)
    // A single one may be a knock.
    for index in 1000..<1001 + count { samples[index] = reading }
    var classifier = MotionClassifier()
    let answers = classify(samples, rate: Self.rate, classifier: &classifier)
    #expect(classifier.faults.clipped == UInt64(count))
    #expect(answers.map(\.states) == clean.map(\.states))
    #expect(abs(Int(answers.last?.steps ?? 0) - Int(clean.last?.steps ?? 0)) <= 3)
  }

  @Test func invalidNumbersAreIgnored() {
    var samples = MadeUpMotion.walk.samples(seconds: 60, rate: 50)
    for index in stride(from: 7, to: samples.count, by: 20) { samples[index].y = .nan }
    for index in stride(from: 3, to: samples.count, by: 90) { samples[index].x = 1e9 }
    var classifier = MotionClassifier()
    let answers = classify(samples, rate: 50, classifier: &classifier)
    #expect(classifier.faults.unreadable == 184)
    #expect(share(.walking, answers.dropFirst(6)) == 1)
  }

  @Test func halfOfTheReportedRateIsDetectedAndReplaced() {
    // The accelerometer reports 50 Hz and supplies 25 samples per second.
    let samples = MadeUpMotion.walk.samples(seconds: 60, rate: 25)
    var classifier = MotionClassifier()
    var answers: [MotionAnswer] = []
    for second in 0..<60 {
      classifier.take(
        samples[second * 25..<second * 25 + 25], first: Self.burst(second), rate: 50
      ) { answers.append($0) }
    }
    #expect(classifier.faults.wrongRates == 1)
    #expect(share(.walking, answers.dropFirst(15)) == 1)
    #expect((90...118).contains(classifier.steps))
  }

  @Test func samplesOutOfOrderAreIgnored() {
    var classifier = MotionClassifier()
    let samples = MadeUpMotion.stationary.samples(seconds: 10, rate: Self.rate)
    classifier.take(samples, first: Self.burst(10), rate: Self.rate) { _ in }
    classifier.take(samples, first: Self.burst(5), rate: Self.rate) { _ in }
    #expect(classifier.faults.disordered > 100)
  }

  @Test func aSingleKnockIsNoMovement() {
    var samples = MadeUpMotion.stationary.samples(seconds: 120, rate: Self.rate)
    for (offset, value) in [0.9, -0.6, 0.4, -0.2].enumerated() { samples[1500 + offset].z += Float(value) }
    let answers = classify(samples, rate: Self.rate)
    #expect(answers.dropFirst(5).allSatisfy { $0.states == .stationary && !$0.isMoving })
  }
}
