import Quantities

/// How long to wait after a failure: exponential, with full jitter.
///
/// The ceiling doubles from 2 s to 15 min; the wait is drawn evenly below it and never shorter than 0.5 s.
/// What the server asks for lengthens it, up to a day.
public struct BackOff: Equatable, Sendable {
  static let firstCeiling = 2.0
  static let longestCeiling = 900.0
  static let shortestWait = 0.5
  static let longestRetryAfter = Duration.seconds(86_400)

  private var ceiling = firstCeiling
  private var random: SplitMix64

  public init(seed: UInt64) { random = SplitMix64(seed: seed) }

  /// The wait after one more failure.
  public mutating func nextWait(retryAfter: Duration?) -> Duration {
    let drawn = max(Double.random(in: 0...ceiling, using: &random), Self.shortestWait)
    ceiling = min(ceiling * 2, Self.longestCeiling)
    let wait = Duration.milliseconds(Int64(drawn * 1000))
    return retryAfter.map { max(Self.heeded($0), wait) } ?? wait
  }

  /// How long a server that asks to be left alone is left alone.
  static func heeded(_ retryAfter: Duration) -> Duration {
    min(max(retryAfter, .milliseconds(Int64(shortestWait * 1000))), longestRetryAfter)
  }

  /// Starts anew with the shortest ceiling.
  public mutating func reset() { ceiling = Self.firstCeiling }
}
