import Quantities

/// Time runs forward: a fix that is no newer than the last one kept is a repetition or a straggler.
enum OrderFilter {
  enum Outcome: Equatable {
    case newer
    case notNewer
    /// The receiver's clock was set back: a new stretch begins, and nothing before it is to be compared with.
    case newStretch
  }

  /// A fix that is this much older than the last record is no straggler.
  static let stepBack = Duration.seconds(2)

  static func outcome(of sample: Sample, after reference: Sample?) -> Outcome {
    guard let reference, let elapsed = sample.elapsed(since: reference) else { return .newer }
    if elapsed > .zero { return .newer }
    return elapsed < .zero - stepBack ? .newStretch : .notNewer
  }
}
