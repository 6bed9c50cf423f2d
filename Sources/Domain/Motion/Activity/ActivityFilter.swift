import Glibc

/// A hidden Markov filter: tracks the probability of every state from second to second.
///
/// Besides the activities there are two more states, the halt of a vehicle and of a bicycle. They produce the same
/// signal as ``Activity/stationary`` and usually return to the previous activity. A red light is therefore no arrival;
/// a parked car becomes stationary after minutes.
struct ActivityFilter: Sendable {
  /// The states, in the order of the SIMD lanes: the activities, then the halts.
  enum State: Int, CaseIterable, Sendable {
    case walking, running, cycling, driving, stationary, cyclingHalt, drivingHalt
  }

  /// The weight of one second of acceleration evidence. It is below 1 because the windows of successive seconds
  /// overlap.
  static let trust: Float = 0.35
  /// The weight of one speed.
  static let speedTrust: Float = 0.35
  /// The lower limit of a log-likelihood: one bad window must not exclude a state.
  static let least: Float = -4.6

  private(set) var probabilities: SIMD8<Float>
  /// The number of consecutive speeds above ``SpeedEvidence/fast``.
  private var fastSeconds = 0

  init() {
    probabilities = SIMD8(1, 1, 1, 1, 1, 0, 0, 0) / 5
  }

  /// Advances by one second without evidence.
  mutating func predict() {
    var next = SIMD8<Float>.zero
    for state in State.allCases { next += Self.transitions[state.rawValue] * probabilities[state.rawValue] }
    probabilities = next
  }

  /// Advances by 15 seconds in one step, after a change of the signal that indicates another activity.
  mutating func expectChange() { for _ in 0..<15 { predict() } }

  /// Applies the log-likelihoods of one second.
  mutating func take(_ likelihoods: ActivityValues, trust: Float = trust) {
    let bounded = likelihoods.replacing(with: Self.least, where: likelihoods .< Self.least)
    weigh(Self.spread(bounded, stationary: bounded[.stationary]) * trust)
  }

  /// Applies a ground speed in m/s and its accuracy (1 sigma, m/s).
  mutating func take(speed: Float, accuracy: Float) {
    fastSeconds = speed - 2 * accuracy > SpeedEvidence.fast ? min(fastSeconds + 1, 1 << 20) : 0
    let (moving, stationary) = SpeedEvidence.likelihoods(
      speed: speed, accuracy: accuracy, isProven: fastSeconds >= SpeedEvidence.proof)
    var logs = SIMD8<Float>.zero
    for activity in Activity.allCases { logs[activity] = log(moving[activity]) }
    weigh(Self.spread(logs, stationary: log(stationary)) * Self.speedTrust)
  }

  /// The probability of every activity; a halt counts for the activity that it interrupts.
  var activities: ActivityValues {
    var sum = probabilities
    sum[Activity.cycling] += probabilities[State.cyclingHalt.rawValue]
    sum[Activity.driving] += probabilities[State.drivingHalt.rawValue]
    return sum
  }

  func probability(of state: State) -> Float { probabilities[state.rawValue] }

  private static func spread(_ values: ActivityValues, stationary: Float) -> SIMD8<Float> {
    var all = values
    all[State.cyclingHalt.rawValue] = stationary
    all[State.drivingHalt.rawValue] = stationary
    all[7] = 0
    return all
  }

  private mutating func weigh(_ logs: SIMD8<Float>) {
    var best = -Float.infinity
    for state in State.allCases where probabilities[state.rawValue] > 0 {
      best = max(best, logs[state.rawValue])
    }
    var next = SIMD8<Float>.zero
    for state in State.allCases {
      next[state.rawValue] = probabilities[state.rawValue] * exp(logs[state.rawValue] - best)
    }
    let total = next.sum()
    guard total > 0, total.isFinite else { return }
    probabilities = next / total
  }

  /// The transition probabilities per second; every row sums to 1. A change from driving to cycling is unlikely without
  /// standing or walking in between.
  private static let transitions: [SIMD8<Float>] = [
    //     walk     run      cycle    drive    station. halt(c)  halt(d)
    row(from: 0, [0, 0.003, 0.003, 0.003, 0.006, 0, 0]),
    row(from: 1, [0.006, 0, 0.0005, 0.0005, 0.004, 0, 0]),
    row(from: 2, [0.003, 0.0005, 0, 0.0005, 0.002, 0.012, 0]),
    row(from: 3, [0.003, 0.0003, 0.0003, 0, 0.0005, 0, 0.015]),
    row(from: 4, [0.005, 0.002, 0.003, 0.005, 0, 0, 0]),
    row(from: 5, [0.01, 0.001, 0.05, 0.001, 0.015, 0, 0]),
    row(from: 6, [0.005, 0.0005, 0.0005, 0.04, 0.004, 0, 0]),
  ]

  private static func row(from state: Int, _ away: [Float]) -> SIMD8<Float> {
    var row = SIMD8<Float>.zero
    for (lane, value) in away.enumerated() { row[lane] = value }
    row[state] = 1 - row.sum()
    return row
  }
}
