import Quantities

/// A receiver that repeats one place to the last bit while something else says that the device moves.
struct FrozenFilter: Equatable, Sendable {
  /// For so long the place must be the same.
  static let patience = Duration.seconds(10)

  private var first: Sample?

  /// True for a fix that is not to be believed. Evidence that comes late counts from its coming, so that a start after
  /// a rest is no fault.
  mutating func isFrozen(_ sample: Sample, movingSince: Moment?, now: Moment) -> Bool {
    guard let first, first.coordinate == sample.coordinate else {
      self.first = sample
      return false
    }
    guard let elapsed = sample.elapsed(since: first), let movingSince else { return false }
    return elapsed >= Self.patience && now - movingSince >= Self.patience
  }
}
