import Quantities

/// Whether groups of records are written in time: flash that wears out, or a card that is busy with itself, takes
/// seconds where it took milliseconds.
///
/// It is slow from one group on that took ``slow``, and quick again after ``proof`` groups on end below ``quick``.
public struct CommitPace: Equatable, Sendable {
  public enum Change: Equatable, Sendable {
    /// A group took so long.
    case slow(Duration)
    /// The last group did.
    case quick(Duration)
  }

  static let slow = Duration.seconds(5)
  static let quick = Duration.seconds(1)
  static let proof = 10

  private var isSlow = false
  private var quickOnes = 0

  /// Takes how long a group took; answers what has changed by that.
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
