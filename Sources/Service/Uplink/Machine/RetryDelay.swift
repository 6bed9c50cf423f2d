import Quantities

/// Computes the wait after a failed delivery: exponential back-off with full jitter.
///
/// The ceiling doubles from 2 s to 15 min. The wait is uniformly distributed below it and at least 0.5 s. `Retry-After`
/// of the server lengthens it, up to one day.
public struct RetryDelay: Equatable, Sendable {
  private static let ceilings = Backoff(from: .seconds(2), upTo: .seconds(900))
  static let shortestWait = 0.5
  static let longestRetryAfter = Duration.seconds(86_400)

  private var ceiling = Self.ceilings
  private var random: SplitMix64

  public init(seed: UInt64) { random = SplitMix64(seed: seed) }

  /// Returns the wait after one more failure.
  public mutating func nextWait(retryAfter: Duration?) -> Duration {
    let drawn = max(Double.random(in: 0...ceiling.next().inSeconds, using: &random), Self.shortestWait)
    let wait = Duration.milliseconds(Int64(drawn * 1000))
    return retryAfter.map { max(Self.limited($0), wait) } ?? wait
  }

  /// Limits the server's `Retry-After` to 0.5 s … 1 day.
  static func limited(_ retryAfter: Duration) -> Duration {
    min(max(retryAfter, .milliseconds(Int64(shortestWait * 1000))), longestRetryAfter)
  }

  /// Resets the ceiling to its first value.
  public mutating func reset() { ceiling.reset() }
}
