import Quantities

/// Computes the wait after a failure: exponential back-off with full jitter.
///
/// The ceiling doubles from 2 s to 15 min. The wait is uniformly distributed below it and at least 0.5 s. `Retry-After`
/// of the server lengthens it, up to one day.
public struct BackOff: Equatable, Sendable {
  static let firstCeiling = 2.0
  static let longestCeiling = 900.0
  static let shortestWait = 0.5
  static let longestRetryAfter = Duration.seconds(86_400)

  private var ceiling = firstCeiling
  private var random: SplitMix64

  public init(seed: UInt64) { random = SplitMix64(seed: seed) }

  /// Returns the wait after one more failure.
  public mutating func nextWait(retryAfter: Duration?) -> Duration {
    let drawn = max(Double.random(in: 0...ceiling, using: &random), Self.shortestWait)
    ceiling = min(ceiling * 2, Self.longestCeiling)
    let wait = Duration.milliseconds(Int64(drawn * 1000))
    return retryAfter.map { max(Self.limited($0), wait) } ?? wait
  }

  /// Limits the server's `Retry-After` to 0.5 s … 1 day.
  static func limited(_ retryAfter: Duration) -> Duration {
    min(max(retryAfter, .milliseconds(Int64(shortestWait * 1000))), longestRetryAfter)
  }

  /// Resets the ceiling to its first value.
  public mutating func reset() { ceiling = Self.firstCeiling }
}
