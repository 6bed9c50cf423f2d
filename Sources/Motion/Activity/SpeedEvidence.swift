import Glibc

/// What a ground speed says about the activity.
///
/// The figures are those of people and traffic, not of recordings: walking 1.3 m/s, running 2.7, cycling 4.3 with a
/// tenth of its time at standstill, vehicles around 11 with a sixth of it.
enum SpeedEvidence {
  /// A speed lies now and then: no activity is excluded by one.
  static let floor: Float = 1e-3
  /// No speed lies for long: m/s that nobody's feet reach, after how many seconds in a row it is believed, and what then
  /// is left for whatever rests or goes on foot.
  static let fast: Float = 7
  static let proof = 10
  static let provenFloor: Float = 1e-6
  /// m/s that a speed at rest wanders.
  static let unrest: Float = 0.25

  /// Likelihoods of a speed in m/s, with its accuracy (one sigma, m/s), when the vehicle moves; for
  /// ``Activity/stationary`` at rest.
  /// `isProven`: it has been ``fast`` for ``proof`` seconds.
  static func likelihoods(speed: Float, accuracy: Float, isProven: Bool) -> (
    moving: ActivityValues, resting: Float
  ) {
    let blur = accuracy * accuracy
    let rest = 2 * bell(speed, 0, unrest * unrest + blur)
    var values = ActivityValues(repeating: 0)
    values[.walking] = 0.97 * bell(speed, 1.3, 0.25 + blur) + 0.03 * rest
    values[.running] = 0.99 * bell(speed, 2.7, 0.64 + blur) + 0.01 * rest
    values[.cycling] = 0.97 * bell(speed, 4.3, 2.9 + blur) + 0.03 * rest
    let ratio = log(max(speed, 0.05) / 11)
    values[.driving] =
      0.97 * exp(-ratio * ratio / (2 * 0.49)) / (max(speed, 0.05) * 0.7 * 2.5066) + 0.03 * rest
    values[.stationary] = rest
    guard isProven else { return (values + floor, rest + floor) }
    values[.cycling] += floor
    values[.driving] += floor
    return (values + provenFloor, rest + provenFloor)
  }

  private static func bell(_ x: Float, _ mean: Float, _ variance: Float) -> Float {
    exp(-(x - mean) * (x - mean) / (2 * variance)) / (variance * 6.2832).squareRoot()
  }
}
