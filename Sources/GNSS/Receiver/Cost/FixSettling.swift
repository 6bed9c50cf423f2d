import Quantities

/// Holds a receiver after its first fix until the position is as good as it soon gets: the first fix of a start
/// is often several times worse than the tenth.
public struct FixSettling: Equatable, Sendable {
  public enum Answer: Equatable, Sendable {
    case hold
    /// Good enough, or it does not get better.
    case settled
    /// The time is up; take what there is.
    case timeLimit
  }

  public static let limits = Duration.seconds(5)...Duration.seconds(10)
  /// Accuracy has stopped falling when for so long…
  static let steadyTime = Duration.seconds(2)
  /// …and so many fixes…
  static let steadyFixes = 3
  /// …none was better than the best before by a tenth.
  static let worthwhile = 0.9

  private struct Best: Equatable {
    let accuracy: Double
    let at: Moment
  }

  /// 68 % radius in metres.
  public let wanted: Double
  public let limit: Duration
  private var deadline: Moment?
  private var best: Best?
  private var fixesSinceBest = 0
  private var verdict = Answer.hold

  /// `limit` is held to ``limits``. A `wanted` that is no number is never reached.
  public init(wanted: Double, limit: Duration = .seconds(10)) {
    self.wanted = wanted
    self.limit = min(max(limit, Self.limits.lowerBound), Self.limits.upperBound)
  }

  /// An epoch was closed. The limit runs from the first with a fix; what was answered in the end stays.
  public mutating func handle(_ fix: Fix, now: Moment) -> Answer {
    guard verdict == .hold else { return verdict }
    guard fix.kind != .none else { return handleTimeout(now: now) }
    if deadline == nil { deadline = now + limit }
    if let accuracy = fix.horizontalAccuracy, accuracy.isFinite, accuracy > 0 { note(accuracy, now: now) }
    return handleTimeout(now: now)
  }

  /// When the limit is reached; nil before the first fix and after the end.
  public var nextTimeout: Moment? { verdict == .hold ? deadline : nil }

  public mutating func handleTimeout(now: Moment) -> Answer {
    if verdict == .hold, let deadline, now >= deadline { verdict = .timeLimit }
    return verdict
  }

  private mutating func note(_ accuracy: Double, now: Moment) {
    if accuracy <= wanted {
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
