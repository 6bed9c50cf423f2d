import Quantities

/// When the state that survives a restart is saved.
struct StateSaving: Sendable {
  /// Learned start times are saved after this time, or earlier with other data.
  private static let learningInterval = Duration.seconds(3600)
  /// Longest time without saving the distance of a running trip.
  private static let tripInterval = Duration.seconds(60)

  /// True if the state has changed since it was saved, by something that must not be lost.
  private(set) var isRequired = false
  private var savedAt: Moment?

  /// The state has changed by something that must not be lost.
  mutating func require() { isRequired = true }

  mutating func saved(now: Moment) { (isRequired, savedAt) = (false, now) }

  /// True if the state is to be saved now. `isInTrip` and `hasLearned` tell what changes continuously.
  func isDue(isInTrip: Bool, hasLearned: Bool, now: Moment) -> Bool {
    if isRequired { return true }
    let age = savedAt.map { now - $0 }
    return isInTrip && age.map { $0 >= Self.tripInterval } ?? true
      || hasLearned && age.map { $0 >= Self.learningInterval } ?? true
  }
}
