import Quantities

/// `max_accuracy`: fixes worse than that are left out; with a window the best of them is taken when nothing better comes.
struct AccuracyFilter: Equatable, Sendable {
  private var best: Candidate?
  private var since: Moment?
  private var last: Moment?

  /// After so long without a fix the window begins anew, unless it is longer itself: the receiver has slept, and the best
  /// of before is no place of now.
  static let pause = Duration.seconds(120)

  enum Outcome: Equatable {
    case good
    case poor
    /// The window is over: the best of the poor ones stands for them.
    case takeInstead(Candidate)
  }

  /// A fix was taken whatever its accuracy, or time goes another way: nothing before stands for what comes.
  mutating func forget() { self = AccuracyFilter() }

  mutating func outcome(of candidate: Candidate, limit: Double, window: Duration?, now: Moment) -> Outcome {
    if let accuracy = candidate.sample.accuracy, accuracy <= limit {
      self = AccuracyFilter()
      return .good
    }
    guard let window else { return .poor }
    if let last, now - last >= max(Self.pause, window) { self = AccuracyFilter() }
    last = now
    let start = since ?? now
    since = start
    if (candidate.sample.accuracy ?? .infinity) < (best?.sample.accuracy ?? .infinity) { best = candidate }
    guard now - start >= window, let chosen = best else { return .poor }
    self = AccuracyFilter()
    return .takeInstead(chosen)
  }
}
