/// Counts departures that came to nothing, and asks for more before the next one is believed.
///
/// A device in somebody's hand is shaken again and again and goes nowhere. A departure that lasts is forgiven all that
/// was before.
struct FalseAlarms: Equatable, Sendable {
  /// Seconds up to which a departure that ends in rest was none.
  static let longest = 60
  /// Seconds from which on it was a true one.
  static let proof = 180
  /// Seconds of rest after which one false alarm is forgotten.
  static let memory = 1200
  /// More than so many ask for no more caution.
  static let most = 3

  private(set) var count = 0
  private var restSeconds = 0
  /// Since rest was left; nil before the first rest, for what begins is no departure.
  private var awaySeconds: Int?

  /// Factor of the probability of rest at which rest is left: halved by each false alarm.
  var caution: Float { 1 / Float(1 << count) }

  /// Some seconds on.
  mutating func take(isResting: Bool, seconds: Int) {
    if isResting {
      if let awaySeconds, awaySeconds > 0, awaySeconds <= Self.longest { count = min(count + 1, Self.most) }
      awaySeconds = 0
      restSeconds = min(restSeconds + seconds, 1 << 20)
      count = max(count - restSeconds / Self.memory, 0)
      restSeconds %= Self.memory
    } else if let away = awaySeconds {
      awaySeconds = min(away + seconds, 1 << 20)
      restSeconds = 0
      if away >= Self.proof { count = 0 }
    }
  }
}
