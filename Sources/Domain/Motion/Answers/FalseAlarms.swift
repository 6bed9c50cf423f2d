/// Counts false departures and raises the evidence that the next departure requires.
///
/// A device in a hand is shaken repeatedly without departing. A departure that lasts resets the count.
struct FalseAlarms: Equatable, Sendable {
  /// The maximum duration of a false departure in seconds.
  static let longest = 60
  /// The duration in seconds after which a departure is a true one.
  static let proof = 180
  /// The stationary time in seconds after which one false departure is forgotten.
  static let memory = 1200
  /// The maximum count.
  static let most = 3

  private(set) var count = 0
  private var stationarySeconds = 0
  /// The seconds since the departure; nil before the device was first stationary, because a start is no departure.
  private var awaySeconds: Int?

  /// The factor of the probability below which ``Activity/stationary`` is left: halved by every false departure.
  var caution: Float { 1 / Float(1 << count) }

  /// Advances by `seconds`.
  mutating func take(isStationary: Bool, seconds: Int) {
    if isStationary {
      if let awaySeconds, awaySeconds > 0, awaySeconds <= Self.longest { count = min(count + 1, Self.most) }
      awaySeconds = 0
      stationarySeconds = min(stationarySeconds + seconds, 1 << 20)
      count = max(count - stationarySeconds / Self.memory, 0)
      stationarySeconds %= Self.memory
    } else if let away = awaySeconds {
      awaySeconds = min(away + seconds, 1 << 20)
      stationarySeconds = 0
      if away >= Self.proof { count = 0 }
    }
  }
}
