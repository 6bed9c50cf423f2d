import Quantities

/// Detects slow commits: flash that wears out or runs its garbage collection takes seconds instead of milliseconds.
///
/// Commits are slow from the first one that takes at least ``slow``, and fast again after ``proof`` consecutive ones
/// that take less than ``quick``.
public struct CommitLatency: Equatable, Sendable {
  /// A change of the speed of commits.
  public enum Change: Equatable, Sendable {
    /// Commits have become slow; with the duration of the last one.
    case slow(Duration)
    /// Commits are fast again; with the duration of the last one.
    case quick(Duration)
  }

  static let slow = Duration.seconds(5)
  static let quick = Duration.seconds(1)
  static let proof = 10

  private var isSlow = false
  private var quickOnes = 0

  /// Processes the duration of a commit and returns a change of state, if any.
  mutating func take(_ took: Duration) -> Change? {
    guard isSlow else {
      guard took >= Self.slow else { return nil }
      (isSlow, quickOnes) = (true, 0)
      return .slow(took)
    }
    quickOnes = took < Self.quick ? quickOnes + 1 : 0
    guard quickOnes >= Self.proof else { return nil }
    isSlow = false
    return .quick(took)
  }
}
