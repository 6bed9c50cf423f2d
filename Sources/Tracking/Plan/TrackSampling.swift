import Quantities

/// When the next fix is due so that the line through the records stays within a bound: service level S.
///
/// Between two fixes the line is straight and its speed constant. How far the true way bends away from it is told by
/// the velocities at both ends; the next interval is as much longer or shorter as would have kept the bound.
struct TrackSampling: Equatable, Sendable {
  static let shortest = 4.0
  static let longest = 180.0
  /// The interval after a departure, in seconds.
  static let beginning = 12.0
  /// Share of the bound that the middle of an interval may use.
  static let aim = 0.5
  /// A corner in the middle of an interval takes the line off by a third of the way; it may be so many bounds.
  static let cornerBounds = 2.5

  /// Metres.
  let bound: Double
  private(set) var last: Sighting?
  /// Seconds.
  private(set) var interval = TrackSampling.beginning

  init(bound: Double) { self.bound = max(bound, 1) }

  /// A way begins.
  mutating func begin(_ sighting: Sighting) {
    last = sighting
    interval = Self.beginning
    limit(sighting)
  }

  /// The next fix of the way, recorded.
  mutating func advance(_ sighting: Sighting) {
    defer { last = sighting }
    guard let last else { return begin(sighting) }
    let seconds = (sighting.moment - last.moment).inSeconds
    guard seconds > 0 else { return }
    let bend = Self.bend(from: last, to: sighting, seconds: seconds)
    // The error of an interval grows with its square.
    let kept = seconds * (Self.aim * bound / max(bend, 0.5)).squareRoot()
    interval = min(max(kept, 0.4 * interval), 1.5 * max(interval, seconds))
    limit(sighting)
  }

  /// How far the true way was from the straight line in the middle, as far as both ends tell.
  static func bend(from a: Sighting, to b: Sighting, seconds: Double) -> Double {
    // Of the cubic through both places with both velocities.
    let turned = (a.velocity - b.velocity).length * seconds / 8
    let way = GroundVector(from: a.coordinate, to: b.coordinate)
    // One end alone: where it would have led, against where it came out.
    let missed = (way - a.velocity * seconds).length / 4
    return max(turned, missed)
  }

  /// Where a dead reckoning from the last record would be off by now.
  func drift(of sighting: Sighting) -> Double {
    guard let last else { return .infinity }
    let seconds = (sighting.moment - last.moment).inSeconds
    return (GroundVector(from: last.coordinate, to: sighting.coordinate) - last.velocity * seconds).length
  }

  private mutating func limit(_ sighting: Sighting) {
    let speed = max(sighting.speed, 1)
    let corner = speed < 12 ? Self.cornerBounds * bound / (0.35 * speed) : .infinity
    interval = min(max(min(interval, corner), Self.shortest), Self.longest)
  }
}
