import Motion
import Quantities
import Simulation

/// What an accelerometer recording says of a day's motion, by the classifier of the logger.
enum ReplayMotion {
  /// A first time beyond this is UTC, and none since the start of the day.
  private static let firstUTC = 1e8

  /// Why a recording cannot stand for the accelerometer of a day.
  struct Failure: Error, CustomStringConvertible {
    var description: String
  }

  /// When it begins and ends to see motion, and of which kind, in seconds from `start`, which is in Unix seconds.
  static func edges(_ path: String, dayStart start: Double) throws -> [MotionEdge] {
    var edges: [MotionEdge] = []
    var sees: (isMoving: Bool, states: MotionStates) = (false, [])
    var offset: Double?
    var last = -Double.infinity
    var isInDay = false
    var classification = Classification(table: .fitted, explains: false) { _ in }
    classification.onAnswer = { answer in
      // A second is known at its end.
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
          "\(path): no second of it lies in the day of the track; t_s counts from the first fix, or is "
          + "Unix time")
    }
    return edges
  }
}
