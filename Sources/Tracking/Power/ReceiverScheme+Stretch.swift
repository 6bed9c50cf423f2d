import Quantities

extension ReceiverScheme {
  /// No fix is further apart than this, however much is to be saved.
  static let longestPause = Duration.seconds(24 * 3600)
  /// Beyond this bound of service level S, significant changes alone are recorded.
  static let widestBound = 100.0
  /// From this stretch on level H gives way to level S, whose bound is then so many metres.
  static let stretchOfS = 1.5
  static let boundOfS = 20.0

  /// The same wishes, taken so many times more seldom: checks at rest and the pauses of sparse sampling grow by `factor`,
  /// up to a day, and the bound of level S up to 100 m. Level H becomes S, and S sparse, where that does not suffice.
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
      // Whoever is to save sleeps at rest.
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
