import Glibc
import Quantities

/// Derives the kind of motion from the ground speed of fixes, for devices without an accelerometer.
///
/// Every speed updates an exponentially weighted average and standard deviation. ``SpeedTable`` turns them into
/// likelihoods, and a recursive Bayesian filter into the probability of walking, running, cycling and driving. A speed
/// says little about how something moves, so the confidence is never high.
public struct SpeedClassifier: Sendable {
  /// Seconds over which the average and the standard deviation forget.
  static let averageTime = 8.0
  static let spreadTime = 20.0
  /// Seconds without a speed after which average and standard deviation begin anew, and an answer expires.
  static let gap = 60.0
  /// Weight of a second of evidence: successive seconds hardly differ, so one counts little. From scripts/fit-speed.
  static let weight = 0.05
  /// Seconds for which one speed counts at most.
  static let longestEvidence = 10.0
  /// Seconds over which the probabilities return to ``prior``.
  static let memory = 900.0
  /// Walking, running, cycling, driving.
  static let prior = SIMD4(0.4, 0.1, 0.15, 0.35)

  /// m/s below which the device is stationary, and the seconds that this must last.
  static let standstill = 0.5
  static let patience = 5.0
  /// Seconds for which a vehicle or bicycle that halts is still one, and the least probability of it.
  static let longestHalt = 90.0
  static let leastVehicle = 0.6
  /// m/s from which on it is a vehicle at once.
  static let fast = 10.0
  /// m/s above which nothing on the ground moves.
  static let fastest = 100.0

  /// The probability below which an activity is not named, and its lead over the next one.
  static let leastNamed = 0.4
  static let margin = 0.15
  /// The probability from which on the confidence is medium, and the seconds for which the activity must have led.
  static let likely = 0.9
  static let standing = 45.0
  /// Seconds of standstill from which on the confidence is medium.
  static let longStandstill = 20.0

  /// An answer of the classifier.
  public struct Answer: Equatable, Sendable {
    /// The activity; ``MotionStates/stationary`` beside it while a vehicle or bicycle halts. Empty while undecided.
    public var states: MotionStates
    /// Low or medium.
    public var confidence: MotionConfidence
  }

  private let table = SpeedTable.fitted
  private var average = 0.0
  private var variance = 0.0
  private var probabilities = SpeedClassifier.prior
  /// The moment of the last usable speed.
  private var last: Moment?
  private var slowSince: Moment?
  /// The most probable activity of the last speed above standstill, and since when it leads; nil after a gap.
  private var leader: (activity: Activity, since: Moment)?
  /// Nil if the last fix had no usable speed.
  private var newest: Answer?

  public init() {}

  /// Takes the ground speed of a fix and its standard deviation, both in m/s; nil if unknown.
  ///
  /// `moment` is the time of the fix. An unknown or impossible speed yields no answer until the next speed.
  public mutating func take(speed: Double?, accuracy: Double?, at moment: Moment) {
    guard let speed, Self.isUsable(speed, accuracy: accuracy) else {
      newest = nil
      return
    }
    var pause = last.map { (moment - $0).inSeconds } ?? .infinity
    if pause <= 0 {
      // A fix that is a little late adds nothing; a clock that was set back must not silence the classifier.
      guard pause < -Self.patience else { return }
      self = SpeedClassifier()
      pause = .infinity
    }
    if pause > Self.gap {
      (average, variance, slowSince, leader) = (speed, 0, nil, nil)
    } else {
      let deviation = speed - average
      average += (1 - exp(-pause / Self.averageTime)) * deviation
      variance += (1 - exp(-pause / Self.spreadTime)) * (deviation * deviation - variance)
    }
    last = moment
    let kept = exp(-pause / Self.memory)
    probabilities = probabilities * kept + Self.prior * (1 - kept)
    if speed < Self.standstill || average < Self.standstill {
      // A single fix stands for the pause before it.
      if slowSince == nil {
        slowSince = pause >= Self.patience ? moment - .seconds(Self.patience) : moment
      }
    } else {
      slowSince = nil
      weigh(seconds: min(pause, Self.longestEvidence))
      let best = ranking.best
      if leader?.activity != best { leader = (best, moment) }
    }
    newest = answer(speed: speed, accuracy: accuracy, at: moment)
  }

  /// Returns what the speeds up to `moment` mean; nil if none is known or the last one is too old.
  public func answer(at moment: Moment) -> Answer? {
    guard let newest, let last, abs((moment - last).inSeconds) <= Self.gap else { return nil }
    return newest
  }

  /// Rejects what no receiver can mean, and a speed that is worse than what it measures.
  private static func isUsable(_ speed: Double, accuracy: Double?) -> Bool {
    guard speed >= 0, speed <= fastest else { return false }
    guard let accuracy else { return true }
    return accuracy >= 0 && accuracy <= max(speed, 1)
  }

  private mutating func weigh(seconds: Double) {
    let evidence = table.logLikelihoods(average: average, spread: variance.squareRoot())
    for lane in 0..<SpeedTable.activities {
      probabilities[lane] *= exp(evidence[lane] * seconds * Self.weight)
    }
    let total = probabilities.sum()
    guard total > 0, total.isFinite else {
      probabilities = Self.prior
      return
    }
    probabilities /= total
  }

  private mutating func answer(speed: Double, accuracy: Double?, at moment: Moment) -> Answer {
    let (best, probability, lead) = ranking
    let led = leader.flatMap { $0.activity == best ? (moment - $0.since).inSeconds : nil }
    let isLikely = probability >= Self.likely && led ?? 0 >= Self.standing
    let confidence: MotionConfidence = isLikely ? .medium : .low
    if let slowSince, case let slow = (moment - slowSince).inSeconds, slow >= Self.patience {
      let halts = led != nil && (best == .driving || best == .cycling)
      if halts, probability >= Self.leastVehicle, slow < Self.longestHalt {
        return Answer(states: [best.state, .stationary], confidence: confidence)
      }
      return Answer(states: .stationary, confidence: slow >= Self.longStandstill ? .medium : .low)
    }
    if speed - (accuracy ?? 0) >= Self.fast {
      return Answer(states: .driving, confidence: best == .driving ? confidence : .low)
    }
    guard probability >= Self.leastNamed, lead >= Self.margin else {
      return Answer(states: [], confidence: .low)
    }
    return Answer(states: best.state, confidence: confidence)
  }

  /// The most probable activity, its probability, and by how much it leads.
  private var ranking: (best: Activity, probability: Double, lead: Double) {
    var (best, first, second) = (Activity.walking, -1.0, -1.0)
    for activity in Activity.allCases where activity.rawValue < SpeedTable.activities {
      let probability = probabilities[activity.rawValue]
      if probability > first {
        (best, first, second) = (activity, probability, first)
      } else {
        second = max(second, probability)
      }
    }
    return (best, first, first - second)
  }
}
