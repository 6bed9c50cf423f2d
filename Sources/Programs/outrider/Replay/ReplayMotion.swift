import Motion
import Quantities
import Replay

/// Derives the motion of a day from an accelerometer recording, with the classifier of the logger.
enum ReplayMotion {
  /// Latest first time, in seconds, since the start of the day; a later one is Unix time.
  private static let firstUTC = 1e8

  /// The reason why a recording does not fit the day.
  struct Failure: Error, CustomStringConvertible {
    var description: String
  }

  /// Returns the changes of the motion state, in seconds from `start`, which is in Unix seconds.
  static func edges(_ path: String, dayStart start: Double) throws -> [MotionEdge] {
    var edges: [MotionEdge] = []
    var sees: (isMoving: Bool, states: MotionStates) = (false, [])
    var offset: Double?
    var last = -Double.infinity
    var isInDay = false
    var classification = Classification(table: .fitted, explains: false) { _ in }
    classification.onAnswer = { answer in
      // The result of a second is available at its end.
      let time = Double(answer.second.nanoseconds) * 1e-9 + 1
      if offset == nil { offset = time > firstUTC ? start : 0 }
      let ofDay = time - (offset ?? 0)
      guard ofDay > last else { return }
      last = ofDay
      guard (0..<Double(Day.seconds)).contains(ofDay) else { return }
      isInDay = true
      guard (answer.isMoving, answer.states) != sees else { return }
      sees = (answer.isMoving, answer.states)
      edges.append(MotionEdge(time: ofDay, isMoving: sees.isMoving, states: sees.states))
    }
    try AccelerationTable.read(path) { try classification.take($0) }
    try classification.finish()
    guard isInDay else {
      throw Failure(
        description:
          "\(path): no overlap with the day of the track; t_s must count from the first fix, or be "
          + "Unix time")
    }
    return edges
  }
}
