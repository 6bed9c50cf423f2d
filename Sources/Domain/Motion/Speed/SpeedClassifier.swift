import Glibc
import Quantities

/// Derives the kind of motion from the ground speed of fixes, for devices without an accelerometer.
///
/// Every speed updates an exponentially weighted average and standard deviation. ``SpeedTable`` turns them into
/// likelihoods, and a recursive Bayesian filter into the probability of walking, running, cycling and driving. The
/// speed alone is weak evidence, so the confidence is never high.
public struct SpeedClassifier: Sendable {
  /// The time constant of the average in seconds.
  static let averageTime = 8.0
  /// The time constant of the standard deviation in seconds.
  static let spreadTime = 20.0
  /// The number of seconds without a speed after which average and standard deviation are reset and an answer expires.
  static let gap = 60.0
  /// The weight of one second of evidence. It is low because successive seconds hardly differ. From scripts/fit-speed.
  static let weight = 0.05
  /// The maximum number of seconds for which one speed counts.
  static let longestEvidence = 10.0
  /// The time constant in seconds with which the probabilities return to ``prior``.
  static let memory = 900.0
  /// The prior probabilities of walking, running, cycling, driving.
  static let prior = SIMD4(0.4, 0.1, 0.15, 0.35)

  /// The speed in m/s below which the device is stationary.
  static let standstill = 0.5
  /// The number of seconds below ``standstill`` after which it is reported.
  static let stationaryDelay = 5.0
  /// The maximum duration in seconds of a halt, for which a vehicle or bicycle is still reported.
  static let longestHalt = 90.0
  /// The minimum probability of the vehicle or bicycle for that.
  static let leastVehicle = 0.6
  /// The speed in m/s from which driving is reported immediately.
  static let fast = 10.0
  /// The maximum plausible speed on the ground in m/s.
  static let fastest = 100.0

  /// The minimum probability of a reported activity.
  static let leastNamed = 0.4
  /// Minimum lead of the most probable activity over the second most probable one.
  static let margin = 0.15
  /// The probability from which the confidence is medium.
  static let likely = 0.9
  /// The number of seconds for which the activity must have led for medium confidence.
  static let confirmationSeconds = 45.0
  /// The number of seconds of standstill from which its confidence is medium.
  static let longStandstill = 20.0

  /// A result of the classifier.
  public struct Answer: Equatable, Sendable {
    /// The activity, together with ``MotionStates/stationary`` while a vehicle or bicycle halts. Empty while undecided.
    public var states: MotionStates
    /// Confidence of the result: low or medium.
    public var confidence: MotionConfidence
  }

  private let table = SpeedTable.fitted
  private var average = 0.0
  private var variance = 0.0
  private var probabilities = SpeedClassifier.prior
  /// The time of the last valid speed.
  private var last: Moment?
  private var slowSince: Moment?
  /// The most probable activity at the last speed above standstill, with the start of its lead; nil after a gap.
  private var leader: (activity: Activity, since: Moment)?
  /// The newest result; nil if the last fix had no valid speed.
  private var newest: Answer?

  public init() {}

  /// Processes the ground speed of a fix and its standard deviation, both in m/s; nil if unknown.
  ///
  /// `moment` is the time of the fix. An unknown or impossible speed yields no answer until the next speed.
  public mutating func take(speed: Double?, accuracy: Double?, at moment: Moment) {
    guard let speed, Self.isUsable(speed, accuracy: accuracy) else {
      newest = nil
      return
    }
    var pause = last.map { (moment - $0).inSeconds } ?? .infinity
    if pause <= 0 {
      // A slightly late fix is ignored. A clock that was set back must not stop the classifier.
      guard pause < -Self.stationaryDelay else { return }
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
      // A single fix represents the gap before it.
      if slowSince == nil {
        slowSince = pause >= Self.stationaryDelay ? moment - .seconds(Self.stationaryDelay) : moment
      }
    } else {
      slowSince = nil
      weigh(seconds: min(pause, Self.longestEvidence))
      let best = ranking.best
      if leader?.activity != best { leader = (best, moment) }
    }
    newest = answer(speed: speed, accuracy: accuracy, at: moment)
  }

  /// Returns the result at `moment`; nil if there is no speed or the last one is too old.
  public func answer(at moment: Moment) -> Answer? {
    guard let newest, let last, abs((moment - last).inSeconds) <= Self.gap else { return nil }
    return newest
  }

  /// Returns false for an impossible speed, and for one whose accuracy is worse than its value.
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
    let isLikely = probability >= Self.likely && led ?? 0 >= Self.confirmationSeconds
    let confidence: MotionConfidence = isLikely ? .medium : .low
    if let slowSince, case let slow = (moment - slowSince).inSeconds, slow >= Self.stationaryDelay {
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
