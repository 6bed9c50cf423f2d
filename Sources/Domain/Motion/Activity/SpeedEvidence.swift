import Glibc

/// The likelihoods of the activities for a ground speed.
///
/// The figures are usual speeds of people and traffic, not fitted: walking 1.3 m/s, running 2.7 m/s, cycling 4.3 m/s
/// with a tenth of its time at standstill, vehicles around 11 m/s with a sixth of it.
enum SpeedEvidence {
  /// The minimum likelihood, because single speeds may be wrong: one speed excludes no activity.
  static let floor: Float = 1e-3
  /// The speed in m/s that excludes activities on foot and standstill if it lasts.
  static let fast: Float = 7
  /// The number of consecutive seconds above ``fast`` after which it is believed.
  static let proof = 10
  /// The minimum likelihood of activities on foot and standstill after that.
  static let provenFloor: Float = 1e-6
  /// The noise of the speed in m/s while stationary.
  static let speedNoise: Float = 0.25

  /// Returns the likelihoods of a speed in m/s with its accuracy (1 sigma, m/s): per activity while moving, and at a
  /// halt.
  ///
  /// `isProven` is true if the speed has been above ``fast`` for ``proof`` seconds.
  static func likelihoods(speed: Float, accuracy: Float, isProven: Bool) -> (
    moving: ActivityValues, stationary: Float
  ) {
    let blur = accuracy * accuracy
    let stationary = 2 * bell(speed, 0, speedNoise * speedNoise + blur)
    var values = ActivityValues(repeating: 0)
    values[.walking] = 0.97 * bell(speed, 1.3, 0.25 + blur) + 0.03 * stationary
    values[.running] = 0.99 * bell(speed, 2.7, 0.64 + blur) + 0.01 * stationary
    values[.cycling] = 0.97 * bell(speed, 4.3, 2.9 + blur) + 0.03 * stationary
    let ratio = log(max(speed, 0.05) / 11)
    values[.driving] =
      0.97 * exp(-ratio * ratio / (2 * 0.49)) / (max(speed, 0.05) * 0.7 * 2.5066) + 0.03 * stationary
    values[.stationary] = stationary
    guard isProven else { return (values + floor, stationary + floor) }
    values[.cycling] += floor
    values[.driving] += floor
    return (values + provenFloor, stationary + provenFloor)
  }

  private static func bell(_ x: Float, _ mean: Float, _ variance: Float) -> Float {
    exp(-(x - mean) * (x - mean) / (2 * variance)) / (variance * 6.2832).squareRoot()
  }
}
