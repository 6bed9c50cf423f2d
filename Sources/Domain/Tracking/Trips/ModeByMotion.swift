import Quantities

/// The mode of a trip by its motion: that of most fixes so far.
struct ModeByMotion: Equatable, Sendable {
  private var counts: [TripMode: Int] = [:]
  /// True if a person or a server has chosen the mode.
  private var isChosen = false

  /// A person or a server has chosen the mode of the trip.
  mutating func choose() { isChosen = true }

  /// Processes the motion at a fix. Returns the mode; nil while the motion is unknown.
  mutating func take(_ motion: MotionStates) -> TripMode? {
    guard !isChosen else { return nil }
    if let mode = Self.mode(of: motion) { counts[mode, default: 0] += 1 }
    return counts.max { ($0.value, $1.key.rawValue) < ($1.value, $0.key.rawValue) }?.key
  }

  /// The mode of a motion; nil if it is unknown or stationary.
  private static func mode(of motion: MotionStates) -> TripMode? {
    if motion.contains(.stationary) { return nil }
    if motion.contains(.driving) { return .car }
    if motion.contains(.cycling) { return .bicycle }
    if motion.contains(.running) { return .run }
    return motion.contains(.walking) ? .walk : nil
  }
}
