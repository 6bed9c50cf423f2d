import Quantities
import Settings
import Testing
import Scheduling

@Suite struct MotionEvidenceTests {
  @Test func anySourceMeansMovingAndAllMustBeQuietToStop() {
    var evidence = MotionEvidence()
    evidence.record(.accelerometer, isActive: true, now: second(0))
    evidence.record(.ignition, isActive: true, now: second(0))
    #expect(evidence.isMoving(now: second(1)))
    evidence.record(.accelerometer, isActive: false, now: second(10))
    #expect(evidence.isMoving(now: second(60)))
    evidence.record(.ignition, isActive: false, now: second(60))
    #expect(evidence.isMoving(now: second(64)))
    #expect(!evidence.isMoving(now: second(65)))
  }

  @Test func aSpeedCountsAfterASecond() {
    var evidence = MotionEvidence()
    evidence.record(.speed, isActive: true, now: second(0))
    #expect(!evidence.isMoving(now: .zero + .milliseconds(999)))
    #expect(evidence.nextTimeout(now: second(0)) == second(1))
    #expect(evidence.isMoving(now: second(1)))
  }

  @Test func withoutASensorTheSpeedHasThePauseDelay() {
    var evidence = MotionEvidence(pauseDelay: .seconds(120))
    evidence.record(.speed, isActive: true, now: second(0))
    #expect(evidence.isMoving(now: second(2)))
    evidence.record(.speed, isActive: false, now: second(10))
    #expect(evidence.isMoving(now: second(129)))
    #expect(!evidence.isMoving(now: second(130)))
  }

  @Test func aFailedSensorDoesNotCount() {
    var evidence = MotionEvidence()
    evidence.record(.accelerometer, isActive: true, now: second(0))
    evidence.forget(.accelerometer)
    #expect(!evidence.isMoving(now: second(1)))
    #expect(!evidence.hasMotionSensor)
  }

  /// Seconds from the end of motion until the device counts as stationary, and from its beginning until it counts as
  /// moving.
  static let stops: [(activity: ActivityType, sources: [MotionSource], start: Int64, stop: Int64)] = [
    (.other, [.accelerometer], 0, 3), (.other, [.accelerometer, .speed], 0, 3), (.other, [.speed], 1, 120),
    (.car, [.accelerometer], 0, 40), (.car, [.accelerometer, .speed], 0, 40), (.car, [.speed], 1, 180),
    (.car, [.accelerometer, .speed, .ignition], 0, 5), (.car, [.charger], 0, 0),
    (.fitness, [.accelerometer, .speed], 0, 3), (.fitness, [.speed], 1, 60),
    (.nav, [.accelerometer], 4, 3), (.nav, [.accelerometer, .speed], 1, 60), (.nav, [.speed], 1, 300),
    (.air, [.accelerometer], 0, 20), (.air, [.accelerometer, .speed], 0, 60), (.air, [.speed], 1, 180),
  ]

  @Test(arguments: stops.indices)
  func theActivityTypeSetsTheStartAndStopDelays(_ index: Int) {
    let (activity, sources, start, stop) = Self.stops[index]
    let rules = MotionRules(activity)
    var evidence = MotionEvidence(pauseDelay: rules.pauseDelay, rules: rules)
    for source in sources { evidence.record(source, isActive: true, now: second(100)) }
    #expect(evidence.isMoving(now: second(100 + start)))
    #expect(start == 0 || !evidence.isMoving(now: second(100 + start - 1)))
    for source in sources { evidence.record(source, isActive: false, now: second(1000)) }
    #expect(!evidence.isMoving(now: second(1000 + stop)))
    #expect(stop == 0 || evidence.isMoving(now: second(1000 + stop - 1)))
  }

  static let obedient: [(activity: ActivityType, sources: [MotionSource])] = [
    (.other, [.accelerometer]), (.other, [.accelerometer, .speed]), (.other, [.ignition]),
    (.car, [.accelerometer, .speed]), (.car, [.accelerometer, .speed, .ignition]), (.car, [.voltage]),
    (.nav, [.accelerometer, .speed, .displacement]), (.other, [.speed]),
  ]

  /// With any activity and any sensor.
  @Test(arguments: obedient.indices, [Int64(45), 600])
  func aSetPauseDelayAppliesToEverySource(_ index: Int, delay: Int64) {
    let (activity, sources) = Self.obedient[index]
    let rules = MotionRules(activity).obeying(pauseDelay: .seconds(delay))
    var evidence = MotionEvidence(pauseDelay: .seconds(delay), rules: rules)
    for source in sources { evidence.record(source, isActive: true, now: second(100)) }
    for source in sources { evidence.record(source, isActive: false, now: second(1000)) }
    #expect(evidence.isMoving(now: second(1000 + delay - 1)))
    #expect(!evidence.isMoving(now: second(1000 + delay)))
  }

  @Test func aPauseDelayIsNeverShorterThanTheSensorsOwn() {
    let rules = MotionRules(.car).obeying(pauseDelay: .zero)
    var evidence = MotionEvidence(pauseDelay: .zero, rules: rules)
    evidence.record(.accelerometer, isActive: true, now: second(100))
    evidence.record(.accelerometer, isActive: false, now: second(1000))
    #expect(evidence.isMoving(now: second(1002)) && !evidence.isMoving(now: second(1003)))
  }

  @Test(arguments: [ActivityType.fitness, .air], [MotionSource.charger, .voltage])
  func anIgnoredSupplyIsNoMotion(_ activity: ActivityType, _ source: MotionSource) {
    var evidence = MotionEvidence(rules: MotionRules(activity))
    evidence.record(source, isActive: true, now: second(0))
    #expect(!evidence.isMoving(now: second(100)) && evidence.nextTimeout(now: second(0)) == nil)
    evidence.rules = .other
    #expect(evidence.isMoving(now: second(100)), "the report was taken nevertheless")
  }

  private func second(_ second: Int64) -> Moment { Moment(nanoseconds: second * 1_000_000_000) }
}
