import Quantities

/// The filter of fixes that require an impossible speed from the last accepted one.
///
/// Trains, ferries and aircraft are possible, and a device that wakes may be anywhere. Several consecutive fixes that
/// agree are therefore accepted.
struct JumpFilter: Equatable, Sendable {
  /// Consecutive fixes, each possible from the one before, that make a new position valid.
  static let confirmations = 3

  private var last: Observation?
  private var suspect: Observation?
  private var agreeing = 0

  /// Highest possible speed in m/s for the motion state; that of a jet if it is unknown.
  static func limit(for motion: MotionStates) -> Double {
    if motion.contains(.driving) { return 120 }
    if !motion.isDisjoint(with: [.walking, .running, .cycling]) { return 60 }
    return 350
  }

  /// The speed in m/s that the fix requires, if it is impossible; nil for an accepted fix.
  mutating func impossibleSpeed(_ observation: Observation, limit: Double) -> Double? {
    guard let last, !Self.isNear(last, observation, limit: limit),
      let speed = Self.speed(from: last, to: observation),
      speed > limit
    else {
      accept(observation)
      return nil
    }
    if let suspect, let step = Self.speed(from: suspect, to: observation), step <= limit {
      agreeing += 1
    } else {
      agreeing = 1
    }
    suspect = observation
    guard agreeing >= Self.confirmations else { return speed }
    accept(observation)
    return nil
  }

  private mutating func accept(_ observation: Observation) {
    last = observation
    suspect = nil
    agreeing = 0
  }

  /// Discards the last position.
  mutating func forget() { self = JumpFilter() }

  /// True if a tenth of a second at `limit` covers the distance: nearly always, and without trigonometry.
  private static func isNear(_ from: Observation, _ to: Observation, limit: Double) -> Bool {
    from.coordinate.farthest(from: to.coordinate) <= limit / 10
  }

  /// The minimum speed required, minus three times the uncertainty; nil if time does not run forward.
  private static func speed(from: Observation, to: Observation) -> Double? {
    guard let elapsed = to.elapsed(since: from)?.inSeconds, elapsed > 0 else { return nil }
    return max(to.distance(to: from) - 3 * to.uncertainty(with: from), 0) / max(elapsed, 0.1)
  }
}
