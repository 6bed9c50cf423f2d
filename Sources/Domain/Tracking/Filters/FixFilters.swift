import Quantities

/// The filters between validation and recording rules, in this order: frozen, impossible speed, accuracy.
///
/// Validation, time and order come before, the recording rules after. A fix requested by an event or a transition
/// passes all three.
struct FixFilters: Equatable, Sendable {
  /// The limits from the settings.
  struct Limits: Equatable, Sendable {
    /// Worst horizontal accuracy in metres; nil if off.
    var maxAccuracy: Double?
    /// Time without a good fix after which the best of the poor ones is taken; nil for never.
    var retryWindow: Duration?
  }

  private var frozen = FrozenFilter()
  private var jump = JumpFilter()
  private var accuracy = AccuracyFilter()
  /// The fixes that contradict the first position of a log and agree with each other; fewer than
  /// ``JumpFilter/confirmations``.
  private var suspects: [ValidFix] = []

  /// The decision for a fix.
  enum Outcome: Equatable {
    case pass
    /// It passes after these earlier ones, which were rejected and are confirmed now.
    case passAfter([ValidFix])
    /// Rejected. `instead` is an earlier fix that is taken now.
    case reject(Rejection, value: RejectedValue, instead: ValidFix?)
  }

  mutating func outcome(
    of validFix: ValidFix, limits: Limits, motion: MotionStates, movingSince: Moment?, isRequested: Bool,
    now: Moment
  ) -> Outcome {
    let observation = validFix.observation
    let isFrozen = frozen.isFrozen(observation, movingSince: movingSince, now: now)
    let verdict = jump.verdict(on: observation, limit: JumpFilter.limit(for: motion))
    if isRequested {
      accuracy.forget()
      suspects = []
      return .pass
    }
    // The value contains no coordinates: they might be in a privacy zone.
    if isFrozen { return .reject(.frozen, value: .time(observation.timestamp), instead: nil) }
    var confirmed: [ValidFix] = []
    switch verdict {
    case .accepted: if !suspects.isEmpty { suspects = [] }
    case .corrected: swap(&confirmed, &suspects)
    case .impossible(let speed):
      hold(validFix, limits)
      return .reject(.impossibleSpeed, value: .speed(speed), instead: nil)
    case .unconfirmed(let speed): return .reject(.unconfirmed, value: .speed(speed), instead: nil)
    }
    let passed = confirmed.isEmpty ? Outcome.pass : .passAfter(confirmed)
    guard let limit = limits.maxAccuracy else { return passed }
    switch accuracy.outcome(of: validFix, limit: limit, window: limits.retryWindow, now: now) {
    case .good: return passed
    case .poor:
      return .reject(
        .accuracy, value: .accuracy(HorizontalAccuracy.known(validFix.fix.horizontalAccuracy)),
        instead: confirmed.last)
    case .takeInstead(let best):
      return .reject(
        .accuracy, value: .accuracy(HorizontalAccuracy.known(validFix.fix.horizontalAccuracy)), instead: best)
    }
  }

  /// Holds a fix that contradicts the first position of a log, until others decide which of them is wrong.
  private mutating func hold(_ suspect: ValidFix, _ limits: Limits) {
    if jump.agreeing == 1, !suspects.isEmpty { suspects = [] }
    guard jump.isFirstPosition else { return }
    if let limit = limits.maxAccuracy, !(suspect.observation.accuracy.map { $0 <= limit } ?? false) { return }
    suspects.append(suspect)
  }

  /// Continues after the last record of an earlier run.
  mutating func resume(after record: Observation) { jump.resume(after: record) }

  /// Starts again, because the receiver's clock was set back, or the last position has just become known.
  mutating func beginSeries() {
    jump.forget()
    accuracy.forget()
    suspects = []
  }
}
