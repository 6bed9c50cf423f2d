import GNSSProtocol
import Quantities

/// A fix as the tracker's rules use it: time, position, velocity and their accuracy.
public struct Observation: Equatable, Sendable {
  /// UTC; nil while the date is unknown.
  public var timestamp: Timestamp?
  /// Time on the boot clock, used between fixes without a date; nil for a record of an earlier boot.
  public var moment: Moment?
  public var coordinate: Coordinate
  /// Horizontal accuracy in metres (68 %); nil if the receiver reports none, or 0.
  public var accuracy: Double?
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
    accuracy = HorizontalAccuracy.known(fix.horizontalAccuracy)
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

  /// The same uncertainty from the stated accuracies alone, in metres. A fix without one adds nothing, so that the
  /// distance alone decides.
  func statedUncertainty(with other: Observation) -> Double {
    let figures = [accuracy, other.accuracy].compactMap(HorizontalAccuracy.known)
    return figures.reduce(0) { $0 + $1 * $1 }.squareRoot()
  }

  /// True if the fix is less accurate than the other, or has no accuracy.
  public func isWorse(than other: Observation) -> Bool {
    (accuracy ?? .infinity) > (other.accuracy ?? .infinity)
  }

  /// Difference of two courses, 0...180°; nil if one is unknown.
  public func turn(from earlier: Observation) -> Double? {
    guard let from = earlier.course, let to = course else { return nil }
    let difference = abs(to - from).truncatingRemainder(dividingBy: 360)
    return min(difference, 360 - difference)
  }
}
