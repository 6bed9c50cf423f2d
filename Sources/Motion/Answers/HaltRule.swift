/// Whether a vehicle or a bicycle stands still: by the speed where it is known, otherwise by the filter.
struct HaltRule: Sendable {
  /// m/s
  static let standstill: Float = 0.5
  /// Seconds that a speed must have been below.
  static let patience = 2

  /// How much more probable a halt must be than riding.
  static let odds: Float = 9

  private var slowSeconds = 0

  mutating func take(_ best: Activity, _ filter: ActivityFilter, speed: Float?) -> Bool {
    slowSeconds = (speed ?? .infinity) < Self.standstill ? min(slowSeconds + 1, 1 << 20) : 0
    let (ride, halt): (ActivityFilter.State, ActivityFilter.State)
    switch best {
    case .driving: (ride, halt) = (.driving, .drivingHalt)
    case .cycling: (ride, halt) = (.cycling, .cyclingHalt)
    case .walking, .running, .stationary: return false
    }
    if speed != nil { return slowSeconds >= Self.patience }
    return filter.probability(of: halt) > Self.odds * filter.probability(of: ride)
  }
}
