import Quantities

extension TrackingPolicy {
  /// Longest interval between fixes.
  static let longestPause = Duration.seconds(24 * 3600)
  /// Widest limit of level S in metres, beyond which the policy is sparse.
  static let widestBound = 100.0
  /// Factor from which level H becomes level S, with the limit in metres below.
  package static let intervalFactorOfS = 1.5
  static let boundOfS = 20.0

  /// The policy with longer intervals. Position checks and sparse intervals grow by `factor`, up to a day, and the
  /// limit of level S up to 100 m. Level H becomes S, and S sparse, if that is not enough.
  public func lengthened(by factor: Double) -> TrackingPolicy {
    guard factor > 1, factor.isFinite, self != .off else { return self }
    var policy = self
    switch moving {
    case .none: break
    case .everySecond:
      if factor >= Self.intervalFactorOfS {
        policy.moving = Self.within(Self.boundOfS, factor / Self.intervalFactorOfS)
      }
    case .within(let metres): policy.moving = Self.within(metres, factor)
    case .sparse(let metres, let shortest, let check):
      policy.moving = .sparse(
        metres: metres, shortest: Self.longer(shortest, factor), check: Self.longer(check, factor))
    }
    switch stationary {
    case .asMoving:
      // To save charge, the receiver sleeps while stationary.
      if factor >= Self.intervalFactorOfS { policy.stationary = Self.checks }
    case .asleep(let check, let longest, let metres):
      policy.stationary = .asleep(
        check: Self.longer(check, factor), longestCheck: Self.longer(longest, factor), metres: metres)
    }
    return policy
  }

  private static func within(_ metres: Double, _ factor: Double) -> MovingService {
    let wide = metres * factor
    let widest = max(metres, widestBound)
    guard wide > widest else { return .within(metres: wide) }
    let remainder = wide / widest
    return .sparse(
      metres: 500, shortest: longer(.seconds(300), remainder / 2), check: longer(.seconds(900), remainder / 2)
    )
  }

  private static func longer(_ pause: Duration, _ factor: Double) -> Duration {
    max(pause, min(pause * max(factor, 1), longestPause))
  }
}
