/// Counts steps by their cadence: while somebody walks or runs, each second adds as many as its rhythm says.
///
/// A rhythm alone is no walk, pedals have one too; so seconds wait until the activity is known and the rhythm has held
/// for a while, and are counted in retrospect.
struct StepCounter: Sendable {
  /// Seconds of even rhythm before the first step is counted.
  static let proof = 4
  /// Seconds that a rhythm may wait for the activity.
  static let patience = 20
  /// How far the cadence of two seconds of one walk may differ, as a fraction.
  static let evenness: Float = 0.25
  /// Share of the usual second's deviation that another second of the same walk has: what the hand does with the device
  /// before and after is less, or more.
  static let share: ClosedRange<Float> = 0.5...2
  /// Seconds beside a rhythm that may lack one of their own: the window of a second reaches so far to both sides.
  static let reach = 2
  /// Height of the peak from which on there is a rhythm.
  static let leastStrength: Float = 0.4
  /// Seconds by which the window's middle lies behind its end.
  static let delay = 2

  /// One second that may hold steps.
  private struct Beat: Equatable {
    var rhythm = Rhythm()
    /// g
    var deviation: Float = 0
    var isCounted = false
  }

  /// The newest seconds, newest last.
  private var beats = [Beat](repeating: Beat(), count: patience)
  private var deviations: (Float, Float) = (0, 0)
  private var isWalking = false
  /// Steps that are no whole one yet; from the half on one counts.
  private var rest: Float = 0.5
  private var last = Activity.stationary

  /// A second of which the length's standard deviation is `deviation`, in g, with the rhythm of the window that ends with
  /// it. Answers with the steps that are new.
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

  /// What is left of the seconds whose window had not come to its end.
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
    // Backwards while the rhythm holds: the beginning of a walk is counted when it is sure.
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
    rest += sum
    let whole = rest.rounded(.down)
    rest -= whole
    return UInt64(max(0, whole))
  }

  /// Both neighbours were counted: one second that is softer or harder is no pause.
  private func isWithinWalk(_ index: Int) -> Bool {
    index > 0 && index < beats.count - 1 && beats[index - 1].isCounted && beats[index + 1].isCounted
  }

  private static func isShare(_ deviation: Float, of usual: Float) -> Bool {
    usual > 0 && share.contains(deviation / usual)
  }

  private static func median(_ values: [Float]) -> Float {
    values.isEmpty ? 0 : values.sorted()[values.count / 2]
  }

  /// Steps a second; 0 where there is no rhythm of steps.
  private func cadence(of beat: Beat) -> Float {
    guard beat.rhythm.strength >= Self.leastStrength else { return 0 }
    return last == .running ? beat.rhythm.runningCadence : beat.rhythm.walkingCadence
  }
}
