import Quantities

extension TrackingPolicy {
  /// The policy for a low battery: significant changes only, and hourly position checks.
  public var sparing: TrackingPolicy {
    guard self != .off else { return .off }
    var policy = self
    switch moving {
    case .none: break
    case .everySecond, .within: policy.moving = Self.significant.moving
    case .sparse(let metres, let shortest, let check):
      policy.moving = .sparse(
        metres: max(metres, 500), shortest: max(shortest, .seconds(300)), check: max(check, .seconds(900)))
    }
    switch stationary {
    case .asMoving:
      policy.stationary = .asleep(check: .seconds(3600), longestCheck: .seconds(4 * 3600), metres: 500)
    case .asleep(let check, let longest, let metres):
      let hour = max(check, .seconds(3600))
      policy.stationary = .asleep(check: hour, longestCheck: max(longest, hour), metres: metres)
    }
    return policy
  }
}
