import Foundation
import Quantities
import Testing

@testable import Motion

@Suite struct DecisionTests {
  static let certain: [(Activity, ActivityValues)] = Activity.allCases.map { activity in
    var values = ActivityValues(repeating: -3)
    values[activity] = 0
    return (activity, values)
  }

  @Test func probabilitiesSumToOneAndTheEvidenceWins() {
    for (activity, values) in Self.certain {
      var filter = ActivityFilter()
      for _ in 0..<30 {
        filter.predict()
        filter.take(values)
        #expect(abs(filter.probabilities.sum() - 1) < 1e-4)
      }
      #expect(filter.activities[activity] > 0.9)
    }
  }

  @Test func oneBadSecondChangesNothing() {
    var filter = ActivityFilter()
    for _ in 0..<30 {
      filter.predict()
      filter.take(Self.certain[0].1)
    }
    filter.predict()
    filter.take(ActivityValues(-100, -100, -100, 0, -100, 0, 0, 0))
    #expect(filter.activities[.walking] > 0.5)
  }

  @Test(arguments: [(1.3, Activity.walking), (25, .driving), (0, .stationary)] as [(Float, Activity)])
  func speedAloneGivesTheActivity(speed: Float, activity: Activity) {
    var filter = ActivityFilter()
    for _ in 0..<60 {
      filter.predict()
      filter.take(speed: speed, accuracy: 0.2)
    }
    #expect(Activity.allCases.allSatisfy { filter.activities[$0] <= filter.activities[activity] })
  }

  @Test func aLastingSpeedOverridesACalmSignal() {
    let answers = classify(
      MadeUpMotion.stationary.samples(seconds: 120, rate: 25), rate: 25, speed: { $0 < 40 ? 0 : 14 })
    #expect(answers[10..<40].allSatisfy { $0.states == .stationary })
    #expect(answers[60..<120].allSatisfy { $0.states == .driving })
    // Two seconds of it are a position jump.
    let jump = classify(
      MadeUpMotion.stationary.samples(seconds: 120, rate: 25), rate: 25,
      speed: { (60..<62).contains($0) ? 14 : 0 })
    #expect(jump.dropFirst(10).allSatisfy { $0.states == .stationary })
  }

  @Test func samplingContinuesInACalmTrain() {
    var classifier = MotionClassifier()
    _ = classify(
      MadeUpMotion.stationary.samples(seconds: 180, rate: 25), rate: 25, speed: { _ in 30 },
      classifier: &classifier
    )
    #expect(classifier.need == .samples(rate: 12.5, within: .seconds(2)))
  }

  @Test func everyFalseDepartureRaisesTheThreshold() {
    var alarms = FalseAlarms()
    func pass(_ seconds: Int, isStationary: Bool) {
      for _ in 0..<seconds { alarms.take(isStationary: isStationary, seconds: 1) }
    }
    // A start while moving is no departure.
    pass(20, isStationary: false)
    pass(5, isStationary: true)
    #expect(alarms.caution == 1)
    for caution: Float in [0.5, 0.25, 0.125, 0.125] {
      pass(10, isStationary: false)
      pass(30, isStationary: true)
      #expect(alarms.caution == caution)
    }
    alarms.take(isStationary: true, seconds: 1300)
    #expect(alarms.caution == 0.25)
    pass(FalseAlarms.proof + 1, isStationary: false)
    pass(1, isStationary: true)
    #expect(alarms.caution == 1)
  }

  @Test func aHaltEndsOnlyWhenRidingIsMoreProbable() {
    var filter = ActivityFilter()
    for _ in 0..<40 {
      filter.predict()
      filter.take(Self.certain[3].1)
    }
    var rule = HaltRule()
    var halts: [Bool] = []
    let calm = ActivityValues(-3, -3, -3, -3, 0, 0, 0, 0)
    let doubt = ActivityValues(-3, -3, -3, 0, -0.5, 0, 0, 0)
    for (values, seconds) in [(calm, 8), (doubt, 3), (Self.certain[3].1, 12)] {
      for _ in 0..<seconds {
        filter.predict()
        filter.take(values)
        halts.append(rule.take(.driving, filter, speed: nil))
      }
    }
    #expect(halts[5..<12].allSatisfy { $0 } && halts.last == false, "\(halts)")
    let parked = rule.take(.stationary, filter, speed: nil)
    #expect(!parked)
  }

  @Test func anOldOrInaccurateSpeedIsNotUsed() {
    let now = Moment.zero + .seconds(100)
    #expect(SpeedReading(speed: 5, accuracy: 0.3, at: now).isUsable(at: now + .seconds(1)))
    #expect(!SpeedReading(speed: 5, accuracy: 0.3, at: now).isUsable(at: now + .seconds(4)))
    #expect(!SpeedReading(speed: 5, accuracy: 6, at: now).isUsable(at: now))
    #expect(!SpeedReading(speed: .nan, at: now).isUsable(at: now))
    #expect(!SpeedReading(speed: 5, at: now + .seconds(10)).isUsable(at: now))
  }

  @Test func theFastDecisionStartsAfterTwoSecondsAndEndsAfterTwenty() {
    var decision = StationaryDecision()
    decision.take(deviation: 0.1)
    #expect(!decision.isMoving)
    decision.take(deviation: 0.1)
    #expect(decision.isMoving)
    for _ in 0..<19 { decision.take(deviation: 0.005) }
    #expect(decision.isMoving)
    decision.take(deviation: 0.005)
    #expect(!decision.isMoving)
  }

  @Test func highConfidenceTakesFiveSeconds() {
    var rule = ConfidenceRule()
    let sure = ActivityValues(0.95, 0.05, 0, 0, 0, 0, 0, 0)
    let levels = (0..<7).map { _ in rule.take(.walking, sure) }
    #expect(levels == [.medium, .medium, .medium, .medium, .medium, .high, .high])
    #expect(rule.take(.running, ActivityValues(0.4, 0.6, 0, 0, 0, 0, 0, 0)) == .low)
  }

  @Test func theRequiredSamplingFollowsTheState() {
    var classifier = MotionClassifier()
    _ = classify(MadeUpMotion.stationary.samples(seconds: 30, rate: 25), rate: 25, classifier: &classifier)
    #expect(classifier.need == .samples(rate: 25, within: .seconds(2)))
    classifier = MotionClassifier()
    _ = classify(MadeUpMotion.stationary.samples(seconds: 90, rate: 25), rate: 25, classifier: &classifier)
    #expect(classifier.need == .watch(threshold: 0.064))
    classifier = MotionClassifier()
    _ = classify(
      MadeUpMotion.train.samples(seconds: 60, rate: 25), rate: 25, speed: { _ in 30 }, classifier: &classifier
    )
    #expect(classifier.need == .samples(rate: 12.5, within: .seconds(2)))
  }

  @Test func reportedStandstillEndsADrive() {
    var classifier = MotionClassifier()
    let answers = classify(
      MadeUpMotion.train.samples(seconds: 60, rate: 25), rate: 25, speed: { _ in 30 }, classifier: &classifier
    )
    #expect(answers.last?.states == .driving)
    #expect(classifier.stationary(until: .zero + .seconds(1200)).states == .stationary)
  }

  @Test func samplesTooFewForARhythmStillDetectMovement() {
    let still = classify(MadeUpMotion.stationary.samples(seconds: 60, rate: 5), rate: 5, burst: 5)
    #expect(share(.stationary, still.dropFirst(5)) == 1)
    let walk = classify(MadeUpMotion.walk.samples(seconds: 60, rate: 5), rate: 5, burst: 5)
    #expect(share(.stationary, walk.dropFirst(10)) == 0)
  }

  @Test func aTableIsParsed() throws {
    let text = "bias,1,2,3,4,5\ndeviation5,-2.5,2,1,0,0,0,0,0,0,0,0,1\n"
    let table = try ActivityTable(text: text)
    var features = MotionFeatures()
    features[.deviation5] = -0.5
    let values = table.likelihoods(of: features)
    #expect(abs(values[.stationary] - values[.driving] - 1) < 1e-5)
    #expect(throws: ActivityTable.Fault.row(line: 2, expected: "a feature name")) {
      try ActivityTable(text: "bias,1,2,3,4,5\nvolume,1,1")
    }
    #expect(throws: ActivityTable.Fault.row(line: 1, expected: "5 numbers")) {
      try ActivityTable(text: "bias,1,x")
    }
    #expect(throws: ActivityTable.Fault.noBias) { try ActivityTable(text: "") }
  }
}
