import Quantities

/// An overspeed or idling in progress, which may have begun in an earlier run.
struct DrivingEpisode: Equatable, Sendable {
  /// Start on the boot clock; nil for an episode of an earlier run.
  var begin: Moment?
  /// Start in UTC; nil while the date is unknown.
  var time: Timestamp?
  /// Highest speed so far in m/s; 0 for idling.
  var peak = 0.0

  /// The duration of the episode; zero if no clock provides it.
  func lasted(to now: Moment, at time: Timestamp?) -> Duration {
    if let begin { return max(now - begin, .zero) }
    guard let from = self.time, let time else { return .zero }
    return max(time - from, .zero)
  }
}
