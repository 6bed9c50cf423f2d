import Quantities

/// Fixes that would need an impossible speed from the last one believed.
///
/// Trains, ferries and aircraft are real, and a device that wakes may be anywhere: what agrees with itself several times
/// in a row is believed.
struct JumpFilter: Equatable, Sendable {
  /// Fixes in a row, each within reach of the one before, that make a new place true.
  static let confirmations = 3

  private var last: Sample?
  private var suspect: Sample?
  private var agreeing = 0

  /// The fastest that is believed, m/s, for what the device is doing; with nothing known a jet is.
  static func limit(for motion: MotionStates) -> Double {
    if motion.contains(.driving) { return 120 }
    if !motion.isDisjoint(with: [.walking, .running, .cycling]) { return 60 }
    return 350
  }

  /// Nil for a fix that is believed, else the speed in m/s that it would take.
  mutating func impossibleSpeed(_ sample: Sample, limit: Double) -> Double? {
    guard let last, !Self.isNear(last, sample, limit: limit), let speed = Self.speed(from: last, to: sample),
      speed > limit
    else {
      believe(sample)
      return nil
    }
    if let suspect, let step = Self.speed(from: suspect, to: sample), step <= limit {
      agreeing += 1
    } else {
      agreeing = 1
    }
    suspect = sample
    guard agreeing >= Self.confirmations else { return speed }
    believe(sample)
    return nil
  }

  private mutating func believe(_ sample: Sample) {
    last = sample
    suspect = nil
    agreeing = 0
  }

  /// Nothing before counts any more.
  mutating func forget() { self = JumpFilter() }

  /// True where a tenth of a second at `limit` covers the way: nearly always, and without trigonometry.
  private static func isNear(_ from: Sample, _ to: Sample, limit: Double) -> Bool {
    from.coordinate.farthest(from: to.coordinate) <= limit / 10
  }

  /// The speed that it takes at least, three times the uncertainty allowed for; nil where time does not run forward.
  private static func speed(from: Sample, to: Sample) -> Double? {
    guard let elapsed = to.elapsed(since: from)?.inSeconds, elapsed > 0 else { return nil }
    return max(to.distance(to: from) - 3 * to.uncertainty(with: from), 0) / max(elapsed, 0.1)
  }
}
