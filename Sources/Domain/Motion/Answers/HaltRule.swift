/// Detects the halt of a vehicle or bicycle: by the speed if it is known, otherwise by the filter.
struct HaltRule: Sendable {
  /// The speed in m/s below which a vehicle halts.
  static let standstill: Float = 0.5
  /// The number of consecutive seconds below ``standstill`` that make a halt.
  static let haltSeconds = 2

  /// The ratio of the probabilities of halt and ride that starts a halt. A halt ends when riding is more probable.
  static let odds: Float = 9

  private var slowSeconds = 0
  private var isHalted = false

  mutating func take(_ best: Activity, _ filter: ActivityFilter, speed: Float?) -> Bool {
    let (ride, halt): (ActivityFilter.State, ActivityFilter.State)
    switch best {
    case .driving: (ride, halt) = (.driving, .drivingHalt)
    case .cycling: (ride, halt) = (.cycling, .cyclingHalt)
    case .walking, .running, .stationary:
      (slowSeconds, isHalted) = (0, false)
      return false
    }
    if let speed {
      slowSeconds = speed < Self.standstill ? min(slowSeconds + 1, 1 << 20) : 0
      isHalted = slowSeconds >= Self.haltSeconds
    } else {
      slowSeconds = 0
      let odds = isHalted ? 1 : Self.odds
      isHalted = filter.probability(of: halt) > odds * filter.probability(of: ride)
    }
    return isHalted
  }
}
