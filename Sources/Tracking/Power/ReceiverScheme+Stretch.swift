import Quantities

extension ReceiverScheme {
  /// Longest interval between fixes.
  static let longestPause = Duration.seconds(24 * 3600)
  /// Widest limit of level S in metres, beyond which the policy is sparse.
  static let widestBound = 100.0
  /// Factor from which level H becomes level S, with the limit in metres below.
  static let stretchOfS = 1.5
  static let boundOfS = 20.0

  /// The policy with longer intervals. Position checks and sparse intervals grow by `factor`, up to a day, and the
  /// limit of level S up to 100 m. Level H becomes S, and S sparse, if that is not enough.
  public func stretched(by factor: Double) -> ReceiverScheme {
    guard factor > 1, factor.isFinite, self != .off else { return self }
    var scheme = self
    switch moving {
    case .none: break
    case .everySecond:
      if factor >= Self.stretchOfS { scheme.moving = Self.within(Self.boundOfS, factor / Self.stretchOfS) }
    case .within(let metres): scheme.moving = Self.within(metres, factor)
    case .sparse(let metres, let shortest, let check):
      scheme.moving = .sparse(
        metres: metres, shortest: Self.longer(shortest, factor), check: Self.longer(check, factor))
    }
    switch resting {
    case .asMoving:
      // To save charge, the receiver sleeps while stationary.
      if factor >= Self.stretchOfS { scheme.resting = Self.checks }
    case .asleep(let check, let longest, let metres):
      scheme.resting = .asleep(
        check: Self.longer(check, factor), longestCheck: Self.longer(longest, factor), metres: metres)
    }
    return scheme
  }

  private static func within(_ metres: Double, _ factor: Double) -> MovingService {
    let wide = metres * factor
    let widest = max(metres, widestBound)
    guard wide > widest else { return .within(metres: wide) }
    let rest = wide / widest
    return .sparse(
      metres: 500, shortest: longer(.seconds(300), rest / 2), check: longer(.seconds(900), rest / 2))
  }

  private static func longer(_ pause: Duration, _ factor: Double) -> Duration {
    max(pause, min(pause * max(factor, 1), longestPause))
  }
}
