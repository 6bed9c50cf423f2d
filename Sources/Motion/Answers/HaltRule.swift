/// Whether a vehicle or a bicycle stands still: by the speed where it is known, otherwise by the filter.
struct HaltRule: Sendable {
  /// m/s
  static let standstill: Float = 0.5
  /// Seconds that a speed must have been below.
  static let patience = 2

  private var slowSeconds = 0

  mutating func take(_ best: Activity, _ filter: ActivityFilter, speed: Float?) -> Bool {
    slowSeconds = (speed ?? .infinity) < Self.standstill ? min(slowSeconds + 1, 1 << 20) : 0
    let halt: ActivityFilter.State
    switch best {
    case .driving: halt = .drivingHalt
    case .cycling: halt = .cyclingHalt
    case .walking, .running, .stationary: return false
    }
    if speed != nil { return slowSeconds >= Self.patience }
    return filter.probability(of: halt) > 0.8
  }
}
