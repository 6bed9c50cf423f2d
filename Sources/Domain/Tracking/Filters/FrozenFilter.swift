import Quantities

/// The filter of a receiver that repeats identical coordinates while a motion sensor reports motion.
struct FrozenFilter: Equatable, Sendable {
  /// Time that the coordinates must be identical.
  static let shortestFreeze = Duration.seconds(10)

  private var first: Observation?

  /// True for a frozen fix. Motion counts from its report, so that a departure after a stop is not a fault.
  mutating func isFrozen(_ observation: Observation, movingSince: Moment?, now: Moment) -> Bool {
    guard let first, first.coordinate == observation.coordinate else {
      self.first = observation
      return false
    }
    guard let elapsed = observation.elapsed(since: first), let movingSince else { return false }
    return elapsed >= Self.shortestFreeze && now - movingSince >= Self.shortestFreeze
  }
}
