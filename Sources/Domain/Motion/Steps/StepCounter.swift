/// Counts steps by their cadence: every second of walking or running adds as many steps as its rhythm yields.
///
/// A rhythm alone is not sufficient, because pedalling has one, too. Seconds are therefore counted in retrospect, once
/// the activity is known and the rhythm has lasted for a while.
struct StepCounter: Sendable {
  /// The number of seconds with an even rhythm before the first step is counted.
  static let proof = 4
  /// The maximum number of seconds that wait for the activity.
  static let longestWaitSeconds = 20
  /// The tolerated relative difference of the cadence between two seconds of one walk.
  static let evenness: Float = 0.25
  /// The permitted ratio of a second's deviation to the usual one of the walk. Handling of the device before and after
  /// a walk is outside.
  static let share: ClosedRange<Float> = 0.5...2
  /// The number of seconds beside a rhythm that may lack one of their own: the window of a second extends so far to
  /// both sides.
  static let reach = 2
  /// The height of the autocorrelation peak above which there is a rhythm.
  static let leastStrength: Float = 0.4
  /// The number of seconds from the middle of the window to its end.
  static let delay = 2

  /// One second that may contain steps.
  private struct Beat: Equatable {
    var rhythm = Rhythm()
    /// The standard deviation of the length in g.
    var deviation: Float = 0
    var isCounted = false
  }

  /// The last seconds, newest last.
  private var beats = [Beat](repeating: Beat(), count: longestWaitSeconds)
  private var deviations: (Float, Float) = (0, 0)
  private var isWalking = false
  /// The fraction of a step that is not counted yet. It starts at one half, for rounding.
  private var fraction: Float = 0.5
  private var last = Activity.stationary

  /// Processes one second and returns the number of new steps. `deviation` is the standard deviation of the length in
  /// g, `rhythm` that of the window that ends with the second.
  mutating func take(_ rhythm: Rhythm, deviation: Float, activity: Activity?) -> UInt64 {
    // The rhythm of a window belongs to its middle.
    let beat = Beat(rhythm: rhythm, deviation: deviations.0)
    deviations = (deviations.1, deviation)
    for index in 1..<beats.count { beats[index - 1] = beats[index] }
    beats[beats.count - 1] = beat
    switch activity {
    case .walking, .running:
      last = activity ?? last
      return count()
    case .cycling, .driving, .stationary, nil:
      isWalking = false
      return 0
    }
  }

  /// Counts the last seconds, whose window is incomplete, and returns their steps.
  mutating func finish() -> UInt64 {
    guard isWalking, let rhythm = beats.last?.rhythm else { return 0 }
    let (first, second) = deviations
    var sum: UInt64 = 0
    for deviation in [first, second] {
      sum &+= take(rhythm, deviation: deviation, activity: last)
    }
    isWalking = false
    return sum
  }

  private mutating func count() -> UInt64 {
    if !isWalking {
      let newest = beats.suffix(Self.proof).map { cadence(of: $0) }
      let most = newest.max() ?? 0
      guard let least = newest.min(), least > 0, most - least <= Self.evenness * most else { return 0 }
      let shaken = beats.suffix(Self.proof).map { $0.deviation }
      guard shaken.allSatisfy({ Self.isShare($0, of: Self.median(shaken)) }) else { return 0 }
      isWalking = true
    }
    var sum: Float = 0
    let usual = Self.median(beats.filter { cadence(of: $0) > 0 }.map { $0.deviation })
    // Backwards while the rhythm lasts: the start of a walk is counted once the walk is certain.
    var steady = cadence(of: beats[beats.count - 1])
    var reach = 0
    for index in beats.indices.reversed() where !beats[index].isCounted {
      let own = cadence(of: beats[index])
      let isShaken = Self.isShare(beats[index].deviation, of: usual) || isWithinWalk(index)
      if own > 0, isShaken {
        sum += own
        (steady, reach) = (own, Self.reach)
        beats[index].isCounted = true
      } else if isShaken, reach > 0, index < beats.count - 1 {
        sum += steady
        reach -= 1
        beats[index].isCounted = true
      } else if index < beats.count - 3 {
        break
      }
    }
    fraction += sum
    let whole = fraction.rounded(.down)
    fraction -= whole
    return UInt64(max(0, whole))
  }

  /// Returns true if both neighbours were counted: a single softer or harder second does not interrupt a walk.
  private func isWithinWalk(_ index: Int) -> Bool {
    index > 0 && index < beats.count - 1 && beats[index - 1].isCounted && beats[index + 1].isCounted
  }

  private static func isShare(_ deviation: Float, of usual: Float) -> Bool {
    usual > 0 && share.contains(deviation / usual)
  }

  private static func median(_ values: [Float]) -> Float {
    values.isEmpty ? 0 : values.sorted()[values.count / 2]
  }

  /// Returns the steps per second; 0 if there is no rhythm of steps.
  private func cadence(of beat: Beat) -> Float {
    guard beat.rhythm.strength >= Self.leastStrength else { return 0 }
    return last == .running ? beat.rhythm.runningCadence : beat.rhythm.walkingCadence
  }
}
