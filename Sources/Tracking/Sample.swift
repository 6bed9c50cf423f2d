import GNSS
import Quantities

/// A fix that the tracker looks at: when, where and how well it is known.
public struct Sample: Equatable, Sendable {
  /// UTC; nil while the date is unknown.
  public var timestamp: Timestamp?
  /// On the boot clock; the measure between fixes without a date. Nil for a record of an earlier boot.
  public var moment: Moment?
  public var coordinate: Coordinate
  /// Radius that holds 68 % of the positions, m; nil when the receiver gives none, or 0.
  public var accuracy: Double?
  /// Ground speed, m/s.
  public var speed: Double?
  public var speedAccuracy: Double?
  /// Degrees from true north.
  public var course: Double?
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

  /// What a receiver can mean; nil for what is no number or below zero.
  private static func measure(_ value: Double) -> Double? { value.isFinite && value >= 0 ? value : nil }

  /// m/s that a receiver can mean: they give no fix above 515 m/s by the rules for their export.
  static func speed(_ value: Double) -> Double? { (0...1000).contains(value) ? value : nil }

  /// By the fixes' own times where both have one, else by the boot clock; nil where nothing measures it.
  public func elapsed(since earlier: Sample) -> Duration? {
    if let from = earlier.timestamp, let to = timestamp { return to - from }
    guard let from = earlier.moment, let to = moment else { return nil }
    return to - from
  }

  /// Metres on the great circle.
  public func distance(to other: Sample) -> Double { coordinate.distance(to: other.coordinate) }

  /// How far two fixes of one place may lie apart with 68 % probability, m; a fix without a figure counts as 30 m.
  public func uncertainty(with other: Sample) -> Double {
    HorizontalAccuracy.doubt(accuracy, other.accuracy)
  }

  /// The same from the figures alone, m: a fix without one adds nothing, so that a distance stands for itself.
  func statedUncertainty(with other: Sample) -> Double {
    let figures = [accuracy, other.accuracy].compactMap(HorizontalAccuracy.known)
    return figures.reduce(0) { $0 + $1 * $1 }.squareRoot()
  }

  /// Less exact than the other, or does not say how exact it is.
  public func isWorse(than other: Sample) -> Bool { (accuracy ?? .infinity) > (other.accuracy ?? .infinity) }

  /// The difference of two directions, 0...180°; nil where one has none.
  public func turn(from earlier: Sample) -> Double? {
    guard let from = earlier.course, let to = course else { return nil }
    let difference = abs(to - from).truncatingRemainder(dividingBy: 360)
    return min(difference, 360 - difference)
  }
}
