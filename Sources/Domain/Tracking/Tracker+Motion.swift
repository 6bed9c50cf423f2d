import Motion
import Quantities

/// The motion state of records and status: by the accelerometer, or without one by the speed of the fixes.
///
/// The state derived from the speed is for display only. Filters, trips and the receiver schedule use
/// ``SensedMotion``, so that a device records the same fixes with and without it.
extension Tracker {
  /// The motion state derived from the speed of the fixes, with its confidence. Nil with an accelerometer, without a
  /// known speed, and if the last speed is too old.
  public func motionBySpeed(at moment: Moment) -> SpeedClassifier.Answer? {
    derivesMotion ? facts.motionBySpeed(at: moment) : nil
  }

  private var derivesMotion: Bool {
    settings.derivesMotion && evidence.sources[.accelerometer] == nil && evidence.motion.isEmpty
  }

  mutating func classifySpeed(of validFix: ValidFix) {
    guard derivesMotion else { return }
    let observation = validFix.observation
    facts.take(
      speed: isQuiet(observation) ? 0 : observation.speed, accuracy: observation.speedAccuracy,
      at: validFix.moment)
  }

  /// True for a speed that records show as 0.
  func isQuiet(_ observation: Observation) -> Bool {
    settings.quietSpeed.map { observation.speed ?? .infinity < $0 } ?? false
  }

  /// The motion state of a record. `isParked`: the record shows the parking position, without speed.
  func motion(at moment: Moment, isParked: Bool = false) -> MotionStates {
    guard let states = motionBySpeed(at: moment)?.states else { return evidence.motion }
    return isParked ? .stationary : states
  }
}
