import GNSSProtocol
import Glibc
import Quantities

/// A fix as the receiver schedule uses it: position, velocity and their uncertainty.
package struct ScheduleFix: Equatable, Sendable {
  package var moment: Moment
  /// UTC; nil if the receiver does not report it.
  package var time: Timestamp?
  package var coordinate: Coordinate
  /// Velocity over ground, m/s.
  package var velocity: GroundVector
  /// True if the receiver reported a speed.
  package var hasSpeed: Bool
  /// Horizontal accuracy in metres (68 %); 30 if the receiver reports none.
  package var accuracy: Double
  /// Speed accuracy in m/s, one sigma.
  package var speedAccuracy: Double
  /// True if the filters accepted the fix. A rejected fix is evidence of motion, but is not recorded.
  package var mayBeKept = true

  /// Speed accuracy in m/s of a fix without one.
  package static let assumedSpeedAccuracy = 0.3

  /// Creates an observation of a fix; nil without valid position.
  package init?(_ fix: Fix, now: Moment) {
    guard let coordinate = fix.position else { return nil }
    moment = now
    time = fix.timestamp
    self.coordinate = coordinate
    let speed = fix.speed.flatMap { $0.isFinite && $0 >= 0 ? $0 : nil }
    hasSpeed = speed != nil
    let course = (fix.course.flatMap { $0.isFinite ? $0 : nil } ?? 0) * Double.pi / 180
    velocity = GroundVector(north: (speed ?? 0) * cos(course), east: (speed ?? 0) * sin(course))
    accuracy = HorizontalAccuracy.effective(fix.accuracy)
    speedAccuracy =
      fix.speedAccuracy.flatMap { $0.isFinite && $0 >= 0 ? $0 : nil } ?? Self.assumedSpeedAccuracy
  }

  /// A stationary device at a known location.
  package init(at position: Coordinate, accuracy: Double, now: Moment) {
    moment = now
    coordinate = position
    velocity = GroundVector(north: 0, east: 0)
    hasSpeed = false
    self.accuracy = accuracy
    speedAccuracy = Self.assumedSpeedAccuracy
  }

  package var speed: Double { velocity.length }

  /// Time since another fix, by the receiver's time if both have one.
  package func timeSince(_ other: ScheduleFix, now: Moment) -> Duration {
    guard let time, let before = other.time, time >= before else { return now - other.moment }
    return time - before
  }

  /// True if the speed exceeds its noise.
  package var isTravelling: Bool { hasSpeed && speed > 0.4 + 3 * speedAccuracy }

  /// Distance in metres to another fix beyond the uncertainty of both.
  package func certainDistance(to other: ScheduleFix) -> Double {
    let uncertainty = HorizontalAccuracy.uncertainty(accuracy, other.accuracy)
    return max(coordinate.distance(to: other.coordinate) - 2 * uncertainty, 0)
  }
}

/// A vector in the horizontal plane, in metres or m/s.
package struct GroundVector: Equatable, Sendable {
  package var north: Double
  package var east: Double

  package var length: Double { (north * north + east * east).squareRoot() }

  package static func - (a: GroundVector, b: GroundVector) -> GroundVector {
    GroundVector(north: a.north - b.north, east: a.east - b.east)
  }
  package static func * (a: GroundVector, factor: Double) -> GroundVector {
    GroundVector(north: a.north * factor, east: a.east * factor)
  }

  /// The vector between two positions, at most some hundred kilometres apart.
  package init(from a: Coordinate, to b: Coordinate) {
    let metres = 6_371_008.8 * Double.pi / 180
    var turn = b.longitude - a.longitude
    if turn > 180 { turn -= 360 } else if turn < -180 { turn += 360 }
    north = (b.latitude - a.latitude) * metres
    east = turn * metres * cos((a.latitude + b.latitude) / 2 * Double.pi / 180)
  }

  package init(north: Double, east: Double) {
    self.north = north
    self.east = east
  }
}
