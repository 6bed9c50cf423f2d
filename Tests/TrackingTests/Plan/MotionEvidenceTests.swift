import Quantities
import Testing

@testable import Tracking

@Suite struct MotionEvidenceTests {
  @Test func anySourceMovesAndAllMustBeQuiet() {
    var evidence = MotionEvidence()
    evidence.note(.accelerometer, isActive: true, now: second(0))
    evidence.note(.ignition, isActive: true, now: second(0))
    #expect(evidence.isMoving(now: second(1)))
    evidence.note(.accelerometer, isActive: false, now: second(10))
    #expect(evidence.isMoving(now: second(60)))
    evidence.note(.ignition, isActive: false, now: second(60))
    #expect(evidence.isMoving(now: second(64)))
    #expect(!evidence.isMoving(now: second(65)))
  }

  @Test func aSpeedIsBelievedAfterASecond() {
    var evidence = MotionEvidence()
    evidence.note(.speed, isActive: true, now: second(0))
    #expect(!evidence.isMoving(now: .zero + .milliseconds(999)))
    #expect(evidence.nextTimeout(now: second(0)) == second(1))
    #expect(evidence.isMoving(now: second(1)))
  }

  @Test func withoutSensorTheSpeedHasThePauseDelay() {
    var evidence = MotionEvidence(pauseDelay: .seconds(120))
    evidence.note(.speed, isActive: true, now: second(0))
    #expect(evidence.isMoving(now: second(2)))
    evidence.note(.speed, isActive: false, now: second(10))
    #expect(evidence.isMoving(now: second(129)))
    #expect(!evidence.isMoving(now: second(130)))
  }

  @Test func aFailedSensorHasNoSay() {
    var evidence = MotionEvidence()
    evidence.note(.accelerometer, isActive: true, now: second(0))
    evidence.forget(.accelerometer)
    #expect(!evidence.isMoving(now: second(1)))
    #expect(!evidence.hasMotionSensor)
  }

  private func second(_ second: Int64) -> Moment { Moment(nanoseconds: second * 1_000_000_000) }
}
