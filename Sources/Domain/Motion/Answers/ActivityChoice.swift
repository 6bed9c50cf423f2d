/// Selects the activity of a second: the most probable one, with hysteresis against leaving ``Activity/stationary``.
///
/// A false departure costs charge, because it wakes the receiver; a true one is certain a second later. A device that
/// is being turned is in a hand, so a departure then requires more evidence.
struct ActivityChoice: Sendable {
  /// The probability of ``Activity/stationary`` below which it is left.
  static let leave: Float = 0.4
  /// The probability below which it is left while the device is being turned.
  static let leaveWhileTurned: Float = 0.08
  /// The change of the mean vector in g, twice in a row from second to second, that indicates turning.
  static let turn: Float = 0.08

  /// The log of the ratio to the stationary deviation up to which a second counts as equally calm.
  static let calm: Float = 0.7

  /// The log of the deviation in g above which the device is never stationary.
  static let stationaryLimit: Float = -3.5
  /// The number of seconds after which a shock has left every window.
  static let memory = 20

  private var isStationary = false
  private var alarms = FalseAlarms()
  /// The number of seconds for which stationary was kept against the evidence.
  private var doubted = 0
  /// The log of the deviation while stationary.
  private var stationaryLevel: Float?

  /// Returns the activity for the new probabilities, after `seconds` have passed.
  ///
  /// `level` is the log of the deviation of the calmer of the last two seconds; nil without samples. Stationary is not left
  /// while the signal is as calm as before, because a shock is then over.
  mutating func take(
    _ activities: ActivityValues, turn: Float, level: Float?, speed: Float?, seconds: Int = 1
  ) -> Activity {
    var best = Activity.walking
    for activity in Activity.allCases where activities[activity] > activities[best] { best = activity }
    let doubt = min(turn > Self.turn ? Self.leaveWhileTurned : 1, Self.leave * alarms.caution)
    if isStationary {
      if activities[.stationary] > doubt {
        (best, doubted) = (.stationary, 0)
      } else if isCalm(level, speed), doubted < Self.memory {
        best = .stationary
        doubted += 1
      }
    }
    isStationary = best == .stationary
    alarms.take(isStationary: isStationary, seconds: seconds)
    if !isStationary {
      (stationaryLevel, doubted) = (nil, 0)
    } else if let level {
      stationaryLevel = stationaryLevel.map { $0 + (level - $0) * 0.05 } ?? level
    }
    return best
  }

  private func isCalm(_ level: Float?, _ speed: Float?) -> Bool {
    guard let level, let stationaryLevel, (speed ?? 0) < 1 else { return false }
    return level < min(stationaryLevel + Self.calm, Self.stationaryLimit)
  }
}
