/// Parameters of the simulated world. No policy reads them.
enum WorldConstants {
  // Starts of the receiver.
  /// Median of the seconds to first fix with usable ephemerides, and the standard deviation of its logarithm.
  static let hotMedian = 1.5
  static let hotSpread = 0.25
  static let warmMedian = 27.0
  static let warmSpread = 0.25
  /// Time of uninterrupted tracking in seconds after which the ephemerides are new.
  static let ephemerisReading = 30.0
  /// Maximum age in seconds of ephemerides that certainly permit a hot start.
  static let surelyHot = 7200.0
  /// Age in seconds from which starts are certainly warm; in between the probability is linear.
  static let surelyWarm = 14_400.0
  /// Duration of lost reception in seconds after which the position must settle again.
  static let longestBlink = 5.0
  /// Time in seconds until a receiver with reception reports the first strong satellite, and its strength in dBHz.
  static let signalDelay = 2.0
  static let signal = 40.0

  /// Minimum duration of tracking in seconds, even if the receiver is put to sleep at its first fix.
  static let shortestTracking = 0.1

  // Fixes: the radius in metres that holds 68 % of them, which a receiver reports as accuracy.
  static let settledError = 3.0
  static let firstError = 15.0
  static let settlingSeconds = 6.0
  /// Time in seconds after which the autocorrelation of the position error has fallen to 1/e.
  static let errorCorrelation = 30.0
  /// Ratio of that radius to the standard deviation of each axis: (−2 ln 0.32)^½.
  static let radiusOverSpread = 1.5096
  /// Error of the settled speed in m/s. The speed is derived from the Doppler shift, and settles like the position.
  static let settledSpeedError = 0.1
  static let firstSpeedError = 0.5

  // The accelerometer.
  /// Median of the seconds until a departure or a stop is detected, and the standard deviation of its
  /// logarithm.
  static let noticeMedian = 2.0
  static let noticeSpread = 0.5
  /// Fraction of vehicle departures that are missed, and the duration in seconds.
  static let unseenShare = 0.05
  static let unseenSeconds = 60.0
  /// Speed in m/s that makes a departure that of a vehicle, if it is reached within two minutes.
  static let vehicleSpeed = 5.0
  /// False wake-ups per hour while stationary, and the duration of each in seconds.
  static let falseWakesPerHour = 0.5
  static let falseWakeSeconds = 5.0
}
