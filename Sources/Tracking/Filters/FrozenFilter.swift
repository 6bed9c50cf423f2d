import Quantities

/// The filter of a receiver that repeats identical coordinates while a motion sensor reports motion.
struct FrozenFilter: Equatable, Sendable {
  /// Time that the coordinates must be identical.
  static let patience = Duration.seconds(10)

  private var first: Sample?

  /// True for a frozen fix. Motion counts from its report, so that a departure after a stop is not a fault.
  mutating func isFrozen(_ sample: Sample, movingSince: Moment?, now: Moment) -> Bool {
    guard let first, first.coordinate == sample.coordinate else {
      self.first = sample
      return false
    }
    guard let elapsed = sample.elapsed(since: first), let movingSince else { return false }
    return elapsed >= Self.patience && now - movingSince >= Self.patience
  }
}
