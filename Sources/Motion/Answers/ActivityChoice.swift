/// Names the activity of a second: the most probable, but rest is not left for a doubt.
///
/// A false departure costs the receiver's charge; a true one is certain a second later. A device that is being turned is
/// in somebody's hand, and it takes more to believe that this is a departure.
struct ActivityChoice: Sendable {
  /// Rest is left when it is less probable than this.
  static let leave: Float = 0.4
  static let leaveWhileTurned: Float = 0.08
  /// g by which the mean vector changes from second to second, twice in a row, when the device is turned.
  static let turn: Float = 0.08

  /// Logarithm of the ratio to the deviation at rest up to which a second is as calm as the rest was.
  static let calm: Float = 0.7

  /// Logarithm of the deviation in g above which nothing rests.
  static let rest: Float = -3.5
  /// Seconds after which what has shaken a device has left every window.
  static let memory = 20

  private var isResting = false
  private var alarms = FalseAlarms()
  /// Seconds of rest against the evidence.
  private var doubted = 0
  /// Logarithm of the deviation at rest.
  private var restLevel: Float?

  /// `level` is the logarithm of the deviation of the calmer of the last two seconds; nil where none was seen. A rest is
  /// not left while it is as calm as before: what shook the device is over. So many `seconds` have passed.
  mutating func take(
    _ activities: ActivityValues, turn: Float, level: Float?, speed: Float?, seconds: Int = 1
  ) -> Activity {
    var best = Activity.walking
    for activity in Activity.allCases where activities[activity] > activities[best] { best = activity }
    let doubt = min(turn > Self.turn ? Self.leaveWhileTurned : 1, Self.leave * alarms.caution)
    if isResting {
      if activities[.stationary] > doubt {
        (best, doubted) = (.stationary, 0)
      } else if isCalm(level, speed), doubted < Self.memory {
        best = .stationary
        doubted += 1
      }
    }
    isResting = best == .stationary
    alarms.take(isResting: isResting, seconds: seconds)
    if !isResting {
      (restLevel, doubted) = (nil, 0)
    } else if let level {
      restLevel = restLevel.map { $0 + (level - $0) * 0.05 } ?? level
    }
    return best
  }

  private func isCalm(_ level: Float?, _ speed: Float?) -> Bool {
    guard let level, let restLevel, (speed ?? 0) < 1 else { return false }
    return level < min(restLevel + Self.calm, Self.rest)
  }
}
