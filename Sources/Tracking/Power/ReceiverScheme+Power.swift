import Quantities

extension ReceiverScheme {
  /// The policy for a low battery: significant changes only, and hourly position checks.
  public var sparing: ReceiverScheme {
    guard self != .off else { return .off }
    var scheme = self
    switch moving {
    case .none: break
    case .everySecond, .within: scheme.moving = Self.significant.moving
    case .sparse(let metres, let shortest, let check):
      scheme.moving = .sparse(
        metres: max(metres, 500), shortest: max(shortest, .seconds(300)), check: max(check, .seconds(900)))
    }
    switch resting {
    case .asMoving:
      scheme.resting = .asleep(check: .seconds(3600), longestCheck: .seconds(4 * 3600), metres: 500)
    case .asleep(let check, let longest, let metres):
      let hour = max(check, .seconds(3600))
      scheme.resting = .asleep(check: hour, longestCheck: max(longest, hour), metres: metres)
    }
    return scheme
  }
}
