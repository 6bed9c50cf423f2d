/// How the simulated world behaves. No policy reads this.
enum WorldConstants {
  // Starts of the receiver.
  /// Median seconds to the first fix with usable ephemerides, and the spread of its logarithm.
  static let hotMedian = 1.5
  static let hotSpread = 0.25
  static let warmMedian = 27.0
  static let warmSpread = 0.25
  /// Seconds of tracking without a gap after which the ephemerides are new.
  static let ephemerisReading = 30.0
  /// Ephemerides up to this age start hot, in seconds…
  static let surelyHot = 7200.0
  /// …and from this on warm; in between the chance falls in a straight line.
  static let surelyWarm = 14_400.0
  /// A loss of the sky longer than this lets the position settle anew.
  static let longestBlink = 5.0
  /// Seconds until a receiver under the sky reports the first strong satellite, and how strong, in dB-Hz.
  static let hearing = 2.0
  static let signal = 40.0

  /// Seconds of tracking that even a receiver needs which is told to sleep at its first fix.
  static let telling = 0.1

  // Fixes: metres of the radius that holds 68 % of them, which is what a receiver reports as accuracy.
  static let settledError = 3.0
  static let firstError = 15.0
  static let settlingSeconds = 6.0
  /// Seconds in which the error of the position loses two thirds of its likeness to itself.
  static let errorCorrelation = 30.0
  /// The radius over the spread of each of the two axes: (−2 ln 0.32)^½.
  static let radiusOverSpread = 1.5096
  /// m/s: the speed comes from the Doppler shift, and settles like the position.
  static let settledSpeedError = 0.1
  static let firstSpeedError = 0.5

  // The accelerometer.
  /// Median seconds until a departure, or a rest, is seen, and the spread of its logarithm.
  static let noticeMedian = 2.0
  static let noticeSpread = 0.5
  /// Share of vehicle departures that stay unseen, and for how many seconds.
  static let unseenShare = 0.05
  static let unseenSeconds = 60.0
  /// A departure that reaches this speed in m/s within two minutes is a vehicle's.
  static let vehicleSpeed = 5.0
  /// False wakes in an hour at rest, and seconds that each lasts.
  static let falseWakesPerHour = 0.5
  static let falseWakeSeconds = 5.0
}
