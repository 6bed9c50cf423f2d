import Quantities

/// What stands between a valid place in its order and the rules: frozen, impossible speed, accuracy, one after the other.
///
/// Validity, time and order come before it, the rules after it. A fix that an event or a transition asks for passes all three.
struct FixFilters: Equatable, Sendable {
  /// What the operator may change.
  struct Limits: Equatable, Sendable {
    /// Metres; nil is off.
    var maxAccuracy: Double?
    /// After so long without a good fix the best of the poor ones is taken; nil never takes one.
    var retryWindow: Duration?
  }

  private var frozen = FrozenFilter()
  private var jump = JumpFilter()
  private var accuracy = AccuracyFilter()

  enum Outcome: Equatable {
    case pass
    /// Not this one. `instead` is an earlier one that is to be taken now.
    case reject(Rejection, value: RejectedValue, instead: Candidate?)
  }

  mutating func outcome(
    of candidate: Candidate, limits: Limits, motion: MotionStates, movingSince: Moment?, isAskedFor: Bool,
    now: Moment
  ) -> Outcome {
    let sample = candidate.sample
    let isFrozen = frozen.isFrozen(sample, movingSince: movingSince, now: now)
    let speed = jump.impossibleSpeed(sample, limit: JumpFilter.limit(for: motion))
    if isAskedFor {
      accuracy.forget()
      return .pass
    }
    // No place: it might be one where nothing must be written.
    if isFrozen { return .reject(.frozen, value: .time(sample.timestamp), instead: nil) }
    if let speed { return .reject(.impossibleSpeed, value: .speed(speed), instead: nil) }
    guard let limit = limits.maxAccuracy else { return .pass }
    switch accuracy.outcome(of: candidate, limit: limit, window: limits.retryWindow, now: now) {
    case .good: return .pass
    case .poor: return .reject(.accuracy, value: .accuracy(sample.accuracy), instead: nil)
    case .takeInstead(let best):
      return .reject(.accuracy, value: .accuracy(sample.accuracy), instead: best)
    }
  }

  /// The receiver's clock was set back, or the program has just learned where it was.
  mutating func beginStretch() {
    jump.forget()
    accuracy.forget()
  }
}
