import GNSSProtocol
import Glibc
import Quantities
import Scheduling

/// A fix as the tracker's rules use it: time, position, velocity and their accuracy.
public struct Observation: Equatable, Sendable {
  /// UTC; nil while the date is unknown.
  public var timestamp: Timestamp?
  /// Time on the boot clock, used between fixes without a date; nil for a record of an earlier boot.
  public var moment: Moment?
  public var coordinate: Coordinate
  /// Horizontal accuracy in metres (68 %) as the receiver reports it; nil if it reports none, or 0. Decisions use
  /// ``radius``.
  public var accuracy: Double?
  /// Horizontal accuracy in metres (68 %) for every decision. An unknown one counts as
  /// ``HorizontalAccuracy/assumed``.
  public var radius: Double { HorizontalAccuracy.effective(accuracy) }
  /// True if the fix proves nothing about the place of the device.
  var isVague: Bool { radius >= HorizontalAccuracy.vague }
  /// Ground speed in m/s.
  public var speed: Double?
  /// Speed accuracy in m/s (68 %).
  public var speedAccuracy: Double?
  /// Course in degrees from true north.
  public var course: Double?
  /// Course accuracy in degrees (68 %).
  public var courseAccuracy: Double?

  public init(timestamp: Timestamp?, moment: Moment?, coordinate: Coordinate) {
    self.timestamp = timestamp
    self.moment = moment
    self.coordinate = coordinate
  }

  init(_ fix: Fix, at coordinate: Coordinate, timestamp: Timestamp?, moment: Moment) {
    self.init(timestamp: timestamp, moment: moment, coordinate: coordinate)
    accuracy = fix.accuracy
    speed = fix.speed.flatMap(Self.speed)
    speedAccuracy = fix.speedAccuracy.flatMap(Self.measure)
    course = fix.course.flatMap(Self.measure)
    courseAccuracy = fix.courseAccuracy.flatMap(Self.measure)
  }

  /// A finite value of zero or more; nil for others.
  private static func measure(_ value: Double) -> Double? { value.isFinite && value >= 0 ? value : nil }

  /// A possible speed in m/s; nil for others. Receivers provide no fix above 515 m/s because of export rules.
  static func speed(_ value: Double) -> Double? { (0...1000).contains(value) ? value : nil }

  /// Time between two fixes: by their UTC if both have one, otherwise by the boot clock; nil if neither is available.
  public func elapsed(since earlier: Observation) -> Duration? {
    if let from = earlier.timestamp, let to = timestamp { return to - from }
    guard let from = earlier.moment, let to = moment else { return nil }
    return to - from
  }

  /// Great-circle distance in metres.
  public func distance(to other: Observation) -> Double { coordinate.distance(to: other.coordinate) }

  /// Distance in metres within which two fixes of one location lie with a probability of 68 %; a fix without accuracy
  /// counts as 30 m.
  public func uncertainty(with other: Observation) -> Double {
    HorizontalAccuracy.uncertainty(accuracy, other.accuracy)
  }

  /// True if the fix is less accurate than the other, or has no accuracy.
  public func isWorse(than other: Observation) -> Bool {
    HorizontalAccuracy.isWorse(accuracy, than: other.accuracy)
  }

  /// Speed accuracy in m/s (68 %) for every decision; an unknown one is that of a receiver with a clear view.
  var speedRadius: Double { speedAccuracy ?? ScheduleFix.assumedSpeedAccuracy }

  /// Course accuracy in degrees (68 %) for every decision. An unknown one follows from the speed and its accuracy.
  var courseRadius: Double {
    courseAccuracy ?? speed.map { atan2(speedRadius, $0) * 180 / .pi } ?? 180
  }

  /// Difference of two courses, 0...180°; nil if one is unknown.
  public func turn(from earlier: Observation) -> Double? {
    guard let from = earlier.course, let to = course else { return nil }
    let difference = abs(to - from).truncatingRemainder(dividingBy: 360)
    return min(difference, 360 - difference)
  }
}
