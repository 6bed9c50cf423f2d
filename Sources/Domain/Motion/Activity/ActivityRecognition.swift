import Quantities

/// Recognizes the activity from the features and speeds of successive seconds.
///
/// Every second begins with ``beginSecond()``, continues with its evidence, if there is any, and ends with
/// ``conclude(turn:level:speed:seconds:)``.
struct ActivityRecognition: Sendable {
  /// The number of seconds for which an answer stays valid without new evidence.
  static let persistence = 10
  /// The log-likelihoods of a second without movement.
  private static let stillness = ActivityValues(-4, -4, -4, -1.5, 0, 0, 0, 0)
  /// The longest time without movement in seconds that the filter follows.
  private static let longestStillness = 600

  /// What is recognized in one second.
  struct Conclusion: Equatable, Sendable {
    /// The most probable activity, with hysteresis.
    var activity: Activity
    /// The states to report; empty while unknown.
    var states: MotionStates
    var confidence: MotionConfidence
  }

  /// The newest conclusion; nil before the first one.
  private(set) var newest: Conclusion?
  /// The log-likelihoods of the newest second with samples.
  private(set) var likelihoods = ActivityValues.zero
  private(set) var filter = ActivityFilter()
  private let table: ActivityTable
  private var choice = ActivityChoice()
  private var confidence = ConfidenceRule()
  private var halt = HaltRule()
  /// The number of seconds since the last evidence.
  private var silence = 0

  init(table: ActivityTable) { self.table = table }

  /// Forgets the probabilities after a long pause.
  mutating func reset() { filter = ActivityFilter() }

  mutating func beginSecond() {
    silence = min(silence + 1, 1 << 20)
    filter.predict()
  }

  /// Applies the features of the newest second, measured at `rate` in Hz. `clipped` is the share of clipped samples.
  mutating func take(_ extractor: FeatureExtractor, rate: Float, clipped: Float) {
    silence = 0
    if extractor.isChange { filter.expectChange() }
    likelihoods =
      rate < SparseEvidence.leastRate
      ? SparseEvidence.likelihoods(deviation: extractor.window(5).vectorVariance.squareRoot())
      : table.likelihoods(of: extractor.features)
        + RhythmEvidence.correction(
          strength: extractor.rhythm.strength, deviation: extractor.window(5).lengthVariance.squareRoot())
    filter.take(likelihoods, trust: clipped > 0.1 ? ActivityFilter.trust / 2 : ActivityFilter.trust)
  }

  /// Applies a ground speed.
  mutating func take(_ reading: SpeedReading) {
    silence = 0
    filter.take(speed: reading.speed, accuracy: reading.accuracy ?? 0)
  }

  /// Applies a time without movement and concludes it.
  mutating func stationary(seconds: Int) -> Conclusion {
    for _ in 0..<min(seconds, Self.longestStillness) {
      filter.predict()
      filter.take(Self.stillness)
    }
    silence = 0
    return conclude(turn: 0, level: nil, speed: nil, seconds: seconds)
  }

  /// Concludes a second. `turn` is the change of the mean vector in g, `level` the log of the deviation of the calmer of
  /// the last two seconds (nil without samples), `speed` the ground speed in m/s.
  mutating func conclude(turn: Float, level: Float?, speed: Float?, seconds: Int = 1) -> Conclusion {
    let best = choice.take(filter.activities, turn: turn, level: level, speed: speed, seconds: seconds)
    let isHalted = halt.take(best, filter, speed: speed)
    let certainty = confidence.take(best, filter.activities)
    var states = best.state
    if isHalted { states.insert(.stationary) }
    // After the first reported activity, a doubt between two others only lowers the confidence.
    let isUndecided =
      (newest?.states.isEmpty ?? true) && certainty == .low && confidence.isUndecided(filter.activities)
    if silence > Self.persistence || isUndecided { states = [] }
    let conclusion = Conclusion(
      activity: best, states: states, confidence: states.isEmpty ? .low : certainty)
    newest = conclusion
    return conclusion
  }
}
