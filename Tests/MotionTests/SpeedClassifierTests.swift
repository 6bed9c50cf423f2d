import Foundation
import Quantities
import Testing

@testable import Motion

/// The motion state by ground speed alone.
@Suite struct SpeedClassifierTests {
  /// A classifier with a simulated drive; seconds count from the start.
  struct SpeedSequence {
    var classifier = SpeedClassifier()
    var second = 0.0
    var random = SplitMix64(seed: 1)

    var now: Moment { .zero + .seconds(1000 + second) }
    var answer: SpeedClassifier.Answer? { classifier.answer(at: now) }

    /// Continues for some seconds with a fix every `spacing` seconds; returns the answer after each.
    @discardableResult
    mutating func go(
      _ speed: Double, seconds: Double, spacing: Double = 1, noise: Double = 0.05, accuracy: Double? = nil
    ) -> [SpeedClassifier.Answer?] {
      var answers: [SpeedClassifier.Answer?] = []
      let end = second + seconds
      while second < end {
        second += spacing
        let wobble = noise > 0 ? Double.random(in: -noise...noise, using: &random) : 0
        classifier.take(speed: max(speed + wobble, 0), accuracy: accuracy, at: now)
        answers.append(answer)
      }
      return answers
    }
  }

  struct Steady: Sendable, CustomTestStringConvertible {
    var speed: Double
    var spacing: Double
    var accepted: [MotionStates]
    var testDescription: String { "\(speed) m/s every \(spacing) s" }
  }

  static let steady: [Steady] = [
    Steady(speed: 0, spacing: 1, accepted: [.stationary]),
    Steady(speed: 0, spacing: 60, accepted: [.stationary]),
    Steady(speed: 0, spacing: 300, accepted: [.stationary]),
    Steady(speed: 1.4, spacing: 1, accepted: [.walking]),
    Steady(speed: 1.4, spacing: 10, accepted: [.walking]),
    Steady(speed: 1.4, spacing: 60, accepted: [.walking]),
    Steady(speed: 3, spacing: 1, accepted: [.running]),
    Steady(speed: 5, spacing: 1, accepted: [.cycling, .running]),
    Steady(speed: 15, spacing: 1, accepted: [.driving]),
    Steady(speed: 25, spacing: 1, accepted: [.driving]),
    Steady(speed: 25, spacing: 60, accepted: [.driving]),
    Steady(speed: 25, spacing: 3600, accepted: [.driving]),
    Steady(speed: 80, spacing: 1, accepted: [.driving]),
  ]

  @Test(arguments: steady)
  func aSteadySpeedHasItsActivityAndKeepsIt(_ steady: Steady) throws {
    var sequence = SpeedSequence()
    let answers = sequence.go(steady.speed, seconds: steady.spacing * 200, spacing: steady.spacing)
    for answer in answers.suffix(100) {
      let states = try #require(answer).states
      #expect(steady.accepted.contains(states), "\(states)")
    }
  }

  @Test func noConfidenceIsEverHighAndMediumTakesTime() throws {
    for speed in stride(from: 0.0, through: 40, by: 0.5) {
      var sequence = SpeedSequence()
      let answers = sequence.go(speed, seconds: 600).compactMap(\.self)
      #expect(answers.count == 600 && answers.allSatisfy { $0.confidence < .high })
      #expect(answers.prefix(15).allSatisfy { $0.confidence == .low }, "\(speed) m/s")
    }
    for speed in [0.0, 1.4, 25] {
      var sequence = SpeedSequence()
      #expect(sequence.go(speed, seconds: 600).last??.confidence == .medium, "\(speed) m/s")
    }
  }

  @Test func theFirstFastFixIsDrivingWithLowConfidence() throws {
    var sequence = SpeedSequence()
    #expect(sequence.go(14, seconds: 1) == [.init(states: .driving, confidence: .low)])
    var doubtful = SpeedSequence()
    #expect(doubtful.go(11, seconds: 1, noise: 0, accuracy: 5).first??.states != .driving)
  }

  @Test func aVehicleAtALightIsDrivingAndStationary() throws {
    var sequence = SpeedSequence()
    sequence.go(12, seconds: 120)
    let halt = sequence.go(0.1, seconds: 30)
    #expect(halt.prefix(4).allSatisfy { $0?.states == .driving })
    #expect(halt.dropFirst(6).allSatisfy { $0?.states == [.driving, .stationary] })
    let start = sequence.go(12, seconds: 20)
    #expect(start.dropFirst(3).allSatisfy { $0?.states == .driving })
  }

  @Test func aParkedVehicleIsStationaryAloneAfterAWhile() throws {
    var sequence = SpeedSequence()
    sequence.go(12, seconds: 120)
    let answers = sequence.go(0, seconds: 200)
    #expect(answers.dropFirst(100).allSatisfy { $0 == .init(states: .stationary, confidence: .medium) })
  }

  @Test func aPedestrianWhoStopsIsStationary() throws {
    var sequence = SpeedSequence()
    sequence.go(1.4, seconds: 120)
    #expect(sequence.go(0, seconds: 30).dropFirst(8).allSatisfy { $0?.states == .stationary })
  }

  @Test func walkingAfterADriveIsDetectedWithinTwoMinutes() throws {
    var sequence = SpeedSequence()
    sequence.go(14, seconds: 600)
    sequence.go(0, seconds: 60)
    #expect(sequence.go(1.3, seconds: 120).last??.states == .walking)
  }

  @Test func theSpeedNoiseOfAStationaryDeviceIsStationary() throws {
    var sequence = SpeedSequence()
    sequence.go(0, seconds: 60)
    for _ in 0..<20 {
      let answers = sequence.go(0.9, seconds: 2) + sequence.go(0.1, seconds: 10)
      #expect(answers.allSatisfy { $0?.states == .stationary })
    }
  }

  @Test func anUnknownSpeedGivesNoAnswerUntilTheNextSpeed() throws {
    var sequence = SpeedSequence()
    sequence.go(1.4, seconds: 120)
    sequence.classifier.take(speed: nil, accuracy: nil, at: sequence.now + .seconds(0.5))
    #expect(sequence.answer == nil)
    #expect(sequence.go(1.4, seconds: 1).last??.states == .walking)
  }

  @Test func anAnswerExpiresAfterAMinute() throws {
    var sequence = SpeedSequence()
    sequence.go(25, seconds: 120)
    #expect(sequence.classifier.answer(at: sequence.now + .seconds(60)) != nil)
    #expect(sequence.classifier.answer(at: sequence.now + .seconds(61)) == nil)
    #expect(sequence.classifier.answer(at: sequence.now + .seconds(-61)) == nil)
    #expect(SpeedClassifier().answer(at: .zero) == nil)
  }

  /// After an hour without fixes a vehicle is no more probable than at the start.
  @Test func aLongGapResetsTheClassifier() throws {
    var sequence = SpeedSequence()
    sequence.go(25, seconds: 600)
    sequence.second += 3 * 3600
    #expect(sequence.go(1.4, seconds: 60).last??.states == .walking)
    var halted = SpeedSequence()
    halted.go(12, seconds: 600)
    halted.second += 600
    #expect(halted.go(0, seconds: 1) == [.init(states: .stationary, confidence: .low)])
  }

  static let hostile: [Double?] = [
    nil, .nan, .signalingNaN, .infinity, -.infinity, -0.1, -1e308, 100.1, 1e9, .greatestFiniteMagnitude,
  ]

  @Test(arguments: hostile)
  func anImpossibleSpeedIsIgnored(_ speed: Double?) throws {
    var sequence = SpeedSequence()
    sequence.go(1.4, seconds: 120)
    sequence.classifier.take(speed: speed, accuracy: nil, at: sequence.now)
    #expect(sequence.answer == nil)
    sequence.classifier.take(speed: 0, accuracy: speed ?? .nan, at: sequence.now)
    #expect(sequence.answer == nil)
    #expect(sequence.go(1.4, seconds: 5).last??.states == .walking)
  }

  @Test func aSpeedLessAccurateThanItsValueIsIgnored() throws {
    var sequence = SpeedSequence()
    #expect(sequence.go(1.4, seconds: 60, accuracy: 3).allSatisfy { $0 == nil })
    #expect(sequence.go(1.4, seconds: 60, accuracy: 0.3).last??.states == .walking)
  }

  @Test func noOrderOfTimesAndSpeedsTraps() throws {
    var random = SplitMix64(seed: 7)
    var classifier = SpeedClassifier()
    let times: [Int64] = [.min, .min + 1, -1, 0, 1, 1_000_000_000, 60_000_000_000, .max - 1, .max]
    var answers = 0
    for _ in 0..<20_000 {
      let moment = Moment(
        nanoseconds: Bool.random(using: &random)
          ? times.randomElement(using: &random) ?? 0 : Int64.random(in: 0...1_000_000_000_000, using: &random)
      )
      let speed = Double.random(in: 0...100, using: &random)
      classifier.take(speed: speed, accuracy: nil, at: moment)
      guard let answer = classifier.answer(at: moment) else { continue }
      answers += 1
      #expect(answer.confidence < .high)
    }
    #expect(answers > 0)
    var sequence = SpeedSequence(classifier: classifier, second: 2000)
    #expect(
      sequence.go(25, seconds: 200).last??.states == .driving, "a clock step does not stop the classifier")
  }

  @Test func theSameFixTwiceAndALateOneChangeNothing() throws {
    var sequence = SpeedSequence()
    sequence.go(1.4, seconds: 120)
    let before = sequence.answer
    for late in [0.0, 1, 4] {
      sequence.classifier.take(speed: 40, accuracy: nil, at: sequence.now + .seconds(-late))
      #expect(sequence.answer == before)
    }
  }

  @Test func everyCellOfTheTableHasOneBestActivity() throws {
    for speed in stride(from: 0.0, through: 120, by: 0.05) {
      for spread in [0, 0.1, 0.2, 0.4, 0.7, 1, 1.5, 5, 1e9] {
        let evidence = SpeedTable.fitted.logLikelihoods(average: speed, spread: spread)
        #expect(evidence.max() == 0 && evidence.min() >= -4)
      }
    }
  }
}
