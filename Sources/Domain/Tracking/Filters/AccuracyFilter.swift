import Quantities

/// The filter of `max_accuracy`: rejects less accurate fixes. With a window the best of them is taken if no better
/// one comes.
struct AccuracyFilter: Equatable, Sendable {
  private var best: ValidFix?
  private var since: Moment?
  private var last: Moment?

  /// Time without a fix after which the window starts again, unless the window is longer. The receiver has slept, and
  /// the best fix before is outdated.
  static let pause = Duration.seconds(120)

  /// The decision for a fix.
  enum Outcome: Equatable {
    case good
    case poor
    /// The window is over: the best of the poor fixes replaces them.
    case takeInstead(ValidFix)
  }

  /// Starts again, because a fix was taken regardless of accuracy, or the time was set back.
  mutating func forget() { self = AccuracyFilter() }

  mutating func outcome(of validFix: ValidFix, limit: Double, window: Duration?, now: Moment) -> Outcome {
    if let accuracy = validFix.observation.accuracy, accuracy <= limit {
      self = AccuracyFilter()
      return .good
    }
    guard let window else { return .poor }
    if let last, now - last >= max(Self.pause, window) { self = AccuracyFilter() }
    last = now
    let start = since ?? now
    since = start
    if best.map({ $0.observation.isWorse(than: validFix.observation) }) ?? true { best = validFix }
    guard now - start >= window, let chosen = best else { return .poor }
    self = AccuracyFilter()
    return .takeInstead(chosen)
  }
}
