import Foundation
import Quantities
import Testing

import Motion

@Suite struct GoldenSignalTests {
  static let rates: [Double] = [10, 12.5, 20, 25, 50, 100]

  @Test(arguments: rates) func aWalkIsWalkingAtEveryRate(rate: Double) {
    let answers = classify(MadeUpMotion.walk.samples(seconds: 60, rate: rate), rate: rate)
    #expect(answers.count == 60)
    #expect(share(.walking, answers.dropFirst(6)) > 0.95)
  }

  @Test(arguments: [1.4, 1.6, 1.8, 2.0, 2.05, 2.1, 2.15, 2.2])
  func aWalkIsWalkingAtEveryCadence(cadence: Double) {
    let walk = MadeUpMotion.gait(cadence, amplitude: 0.3, impact: 0.12)
    let answers = classify(walk.samples(seconds: 90, rate: 25), rate: 25)
    #expect(share(.walking, answers.dropFirst(6)) == 1)
  }

  @Test(arguments: rates) func aRunIsRunningAtEveryRate(rate: Double) {
    let answers = classify(MadeUpMotion.run.samples(seconds: 60, rate: rate), rate: rate)
    #expect(share(.running, answers.dropFirst(6)) > 0.95)
  }

  @Test(arguments: rates) func aStationarySignalWithOffsetAndNoiseIsStationary(rate: Double) {
    let answers = classify(MadeUpMotion.stationary.samples(seconds: 60, rate: rate), rate: rate)
    #expect(share(.stationary, answers.dropFirst(5)) == 1)
    #expect(answers.allSatisfy { !$0.isMoving && $0.steps == 0 })
  }

  @Test func aStationarySignalThatDriftsStaysStationary() {
    let drift = MadeUpMotion { t in SIMD3(0.05 * t / 600, 0.03, 1 - 0.05 * t / 600) }
    let answers = classify(drift.samples(seconds: 600, rate: 25), rate: 25)
    #expect(share(.stationary, answers.dropFirst(5)) == 1)
  }

  @Test func aConstantValueNearOneGIsStationary() {
    let answers = classify(Array(repeating: SIMD3(0, 0, 1.016), count: 25 * 90), rate: 25)
    #expect(share(.stationary, answers.dropFirst(5)) == 1)
  }

  @Test(arguments: [25.0, 50, 100]) func anIdlingEngineIsNoMovement(rate: Double) {
    let answers = classify(MadeUpMotion.idle.samples(seconds: 120, rate: rate), rate: rate)
    #expect(answers.allSatisfy { !$0.isMoving && $0.steps == 0 })
    #expect(share(.walking, answers) + share(.running, answers) == 0)
  }

  @Test func aTrainIsNoWalkAndDrivesOnceItsSpeedIsKnown() {
    let samples = MadeUpMotion.train.samples(seconds: 180, rate: 25)
    let blind = classify(samples, rate: 25)
    #expect(share(.walking, blind.dropFirst(10)) == 0)
    #expect(blind.last?.steps == 0)
    let seeing = classify(samples, rate: 25, speed: { _ in 30 })
    #expect(share(.driving, seeing.dropFirst(10)) == 1)
  }

  @Test func aHandThatPicksUpTheDeviceIsNoDeparture() {
    // Two seconds of turning by a right angle, then stationary as before.
    let pick = MadeUpMotion { t in
      let angle = min(max(t - 60, 0) / 2, 1) * .pi / 2
      return SIMD3(sin(angle), 0, cos(angle)) * (1 + (t > 60 && t < 62 ? 0.08 * sin(9 * t) : 0))
    }
    let answers = classify(pick.samples(seconds: 120, rate: 25), rate: 25)
    #expect(share(.stationary, answers.dropFirst(5)) == 1)
    #expect(answers.last?.steps == 0)
  }

  @Test func aDepartureIsDetectedInThreeSecondsAndClassifiedInFive() throws {
    let samples = MadeUpMotion.stationary.then(.walk, at: 60).samples(seconds: 90, rate: 25)
    let answers = classify(samples, rate: 25)
    let seen = try #require(answers.firstIndex { $0.isMoving })
    let named = try #require(answers.dropFirst(5).firstIndex { $0.states == .walking })
    #expect((60...62).contains(seen))
    #expect((60...64).contains(named))
  }

  @Test func aCarAtARedLightIsDrivingAndStationaryAndAParkedOneStopsDriving() {
    let drive = MadeUpMotion { t in
      SIMD3(0.05 * sin(7.3 * t), 0.04 * sin(11.1 * t), 1 + 0.06 * sin(8.9 * t) + 0.03 * sin(23 * t))
    }
    let samples = drive.then(.stationary, at: 120).samples(seconds: 620, rate: 25)
    let answers = classify(samples, rate: 25, speed: { $0 < 120 ? 14 : $0 < 165 ? 0 : nil })
    #expect(share(.driving, answers[20..<120]) == 1)
    #expect(answers[125..<165].allSatisfy { $0.states == [.driving, .stationary] })
    #expect(answers.last?.states == .stationary)
  }

  @Test(arguments: [(1.6, 0.25), (1.9, 0.3), (2.1, 0.35)]) func stepsFollowTheCadence(
    cadence: Double, amplitude: Double
  ) throws {
    let walk = MadeUpMotion.gait(cadence, amplitude: amplitude, impact: 0.1)
    let samples = MadeUpMotion.stationary.then(walk, at: 30).samples(seconds: 150, rate: 25)
    let steps = try #require(classify(samples, rate: 25).last?.steps)
    let expected = cadence * 120
    #expect(abs(Double(steps) - expected) <= 0.02 * expected + 2, "\(steps) of \(expected)")
  }

  @Test(arguments: rates) func stepsAndDepartureAreTheSameAtEveryRate(rate: Double) throws {
    let samples = MadeUpMotion.stationary.then(.walk, at: 60).samples(seconds: 180, rate: rate)
    let answers = classify(samples, rate: rate)
    let steps = try #require(answers.last?.steps)
    #expect((221...234).contains(steps), "\(steps) of 228")
    let seen = try #require(answers.firstIndex { $0.isMoving })
    let named = try #require(answers.dropFirst(5).firstIndex { $0.states == .walking })
    #expect((60...62).contains(seen))
    #expect((60...65).contains(named))
  }

  @Test func theStepTotalContinuesFromTheStoredValueAndNeverDecreases() {
    var classifier = MotionClassifier(steps: 1000)
    let samples = MadeUpMotion.walk.samples(seconds: 60, rate: 25)
    let totals = classify(samples, rate: 25, classifier: &classifier).map { $0.steps }
    #expect(totals.first == 1000)
    #expect(zip(totals, totals.dropFirst()).allSatisfy { $0 <= $1 })
    #expect((1105...1120).contains(classifier.steps))
  }
}
