import Motion
import Quantities

/// The kind of motion in records and in the status: by the accelerometer, or without one by the speed of the fixes.
///
/// What the speed says goes no further. Filters, trips and the plan use ``SensedMotion`` only, so that a box keeps the
/// same fixes with and without it.
extension Tracker {
  /// Returns what the speed of the fixes says of motion, with its confidence; nil with an accelerometer, while no speed
  /// is known, and after the last one has become too old.
  public func motionBySpeed(at moment: Moment) -> SpeedClassifier.Answer? {
    derivesMotion ? speedMotion.answer(at: moment) : nil
  }

  private var derivesMotion: Bool {
    settings.derivesMotion && sensed[.accelerometer] == nil && evidence.motion.isEmpty
  }

  mutating func noteSpeed(of candidate: Candidate) {
    guard derivesMotion else { return }
    let sample = candidate.sample
    speedMotion.take(
      speed: isQuiet(sample) ? 0 : sample.speed, accuracy: sample.speedAccuracy, at: candidate.moment)
  }

  /// True for a speed that the records show as 0.
  func isQuiet(_ sample: Sample) -> Bool {
    settings.quietSpeed.map { sample.speed ?? .infinity < $0 } ?? false
  }

  /// The states of a record. `isParked`: it shows the place of parking, without speed.
  func motion(at moment: Moment, isParked: Bool = false) -> MotionStates {
    guard let states = motionBySpeed(at: moment)?.states else { return evidence.motion }
    return isParked ? .stationary : states
  }
}
