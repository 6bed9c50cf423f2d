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

  private var isResting = false

  mutating func take(_ activities: ActivityValues, turn: Float) -> Activity {
    var best = Activity.walking
    for activity in Activity.allCases where activities[activity] > activities[best] { best = activity }
    if isResting, activities[.stationary] > (turn > Self.turn ? Self.leaveWhileTurned : Self.leave) {
      return .stationary
    }
    isResting = best == .stationary
    return best
  }
}
