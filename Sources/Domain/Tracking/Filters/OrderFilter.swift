import Quantities

/// The filter of repeated and late fixes: a fix must be newer than the last recorded one.
enum OrderFilter {
  /// The order of a fix relative to the last record.
  enum Outcome: Equatable {
    case newer
    case notNewer
    /// The receiver's clock was set back: a new series begins, and nothing is compared with earlier fixes.
    case newSeries
  }

  /// Age of a fix relative to the last record above which it is not just late.
  static let stepBack = Duration.seconds(2)

  static func outcome(of observation: Observation, after reference: Observation?) -> Outcome {
    guard let reference, let elapsed = observation.elapsed(since: reference) else { return .newer }
    if elapsed > .zero { return .newer }
    return elapsed < .zero - stepBack ? .newSeries : .notNewer
  }
}
