import GNSSProtocol
import Quantities

/// Waits after the first fix until the position stops improving. The first fix of a start is often several times worse
/// than the tenth.
public struct FixSettling: Equatable, Sendable {
  /// The state of the wait after an epoch.
  public enum Answer: Equatable, Sendable {
    case wait
    /// The accuracy is sufficient or no longer improves.
    case settled
    /// The time limit is reached; use the current fix.
    case timeLimit
  }

  public static let limits = Duration.seconds(5)...Duration.seconds(10)
  /// Shortest time without an improvement after which the accuracy has settled.
  static let steadyTime = Duration.seconds(2)
  /// Smallest number of fixes without an improvement.
  static let steadyFixes = 3
  /// Factor of an improvement: a tenth better than the previous best.
  static let worthwhile = 0.9

  private struct Best: Equatable {
    let accuracy: Double
    let at: Moment
  }

  /// Desired accuracy: 68 % radius in metres.
  public let accuracy: Double
  public let limit: Duration
  private var deadline: Moment?
  private var best: Best?
  private var fixesSinceBest = 0
  private var verdict = Answer.wait

  /// Creates the wait. `limit` is clamped to ``limits``. An `accuracy` that is not a number is never reached.
  public init(accuracy: Double, limit: Duration = .seconds(10)) {
    self.accuracy = accuracy
    self.limit = min(max(limit, Self.limits.lowerBound), Self.limits.upperBound)
  }

  /// Records a complete epoch. The limit starts with the first fix; the final answer does not change.
  public mutating func handle(_ fix: Fix, now: Moment) -> Answer {
    guard verdict == .wait else { return verdict }
    guard fix.kind != .none else { return handleTimeout(now: now) }
    if deadline == nil { deadline = now + limit }
    // A vague position that no longer improves has not settled.
    if let accuracy = fix.accuracy, accuracy < HorizontalAccuracy.vague { record(accuracy, now: now) }
    return handleTimeout(now: now)
  }

  /// The end of the limit; nil before the first fix and after the final answer.
  public var nextTimeout: Moment? { verdict == .wait ? deadline : nil }

  public mutating func handleTimeout(now: Moment) -> Answer {
    if verdict == .wait, let deadline, now >= deadline { verdict = .timeLimit }
    return verdict
  }

  private mutating func record(_ accuracy: Double, now: Moment) {
    if accuracy <= self.accuracy {
      verdict = .settled
    } else if let best, accuracy > best.accuracy * Self.worthwhile {
      fixesSinceBest += 1
      if fixesSinceBest >= Self.steadyFixes, now - best.at >= Self.steadyTime { verdict = .settled }
    } else {
      best = Best(accuracy: accuracy, at: now)
      fixesSinceBest = 0
    }
  }
}
