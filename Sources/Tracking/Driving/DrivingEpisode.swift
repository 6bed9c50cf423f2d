import Quantities

/// Something that lasts, and that may have begun in an earlier run of the program.
struct DrivingEpisode: Equatable, Sendable {
  /// On the boot clock; nil for one of an earlier run.
  var begin: Moment?
  /// UTC of the beginning; nil while the date is unknown.
  var time: Timestamp?
  /// m/s, the most so far; 0 where no speed matters.
  var peak = 0.0

  /// How long it has lasted; zero where nothing measures it.
  func lasted(to now: Moment, at time: Timestamp?) -> Duration {
    if let begin { return max(now - begin, .zero) }
    guard let from = self.time, let time else { return .zero }
    return max(time - from, .zero)
  }
}
