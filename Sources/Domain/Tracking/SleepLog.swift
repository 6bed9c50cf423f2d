import Quantities
import Scheduling

/// What was logged about the sleep of the receiver and the automatic pause, so that each is logged once, however many
/// position checks it contains.
struct SleepLog: Sendable {
  /// The logged cause of the receiver's sleep; nil if no sleep is logged.
  private var cause: SleepCause?
  /// Start of the logged pause; nil without one.
  private var pausedSince: Moment?

  /// The receiver fell asleep. Returns true if that is to be logged.
  mutating func fellAsleep(_ cause: SleepCause) -> Bool {
    guard cause != self.cause else { return false }
    self.cause = cause
    return true
  }

  /// The device moves again. Returns true if a sleep was logged, whose end is to be logged, too.
  mutating func woke() -> Bool {
    defer { cause = nil }
    return cause != nil
  }

  /// Recording pauses. Returns true if that is to be logged.
  mutating func paused(now: Moment) -> Bool {
    guard pausedSince == nil else { return false }
    pausedSince = now
    return true
  }

  /// Recording resumes. Returns the duration of the logged pause; nil if there was none.
  mutating func resumed(now: Moment) -> Duration? {
    defer { pausedSince = nil }
    return pausedSince.map { max(now - $0, .zero) }
  }

  /// Tracking was switched off, which ends a pause without an event.
  mutating func trackingEnded() { pausedSince = nil }
}
