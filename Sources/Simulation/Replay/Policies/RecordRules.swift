import GNSSProtocol
import Quantities

/// Rules for recording a fix by comparison with the last record; any one of them suffices.
public struct RecordRules: Equatable, Sendable {
  /// The last record, with which fixes are compared.
  struct Reference: Equatable, Sendable {
    let moment: Moment
    let coordinate: Coordinate
    let speed: Double
    let course: Double

    init?(_ fix: Fix, now: Moment) {
      guard let latitude = fix.latitude, let longitude = fix.longitude,
        let coordinate = Coordinate(latitude: latitude, longitude: longitude)
      else { return nil }
      moment = now
      self.coordinate = coordinate
      speed = fix.speed ?? 0
      course = fix.course ?? 0
    }
  }

  public var period: Duration
  public var metres: Double?
  /// Change of course in degrees; only above 10 km/h.
  public var degrees: Double?
  /// m/s.
  public var speedChange: Double?

  private static let leastSpeedForCourse = 10 / 3.6
  private static let slack = Duration.milliseconds(100)

  public init(
    period: Duration, metres: Double? = nil, degrees: Double? = nil, speedChange: Double? = nil
  ) {
    self.period = period
    self.metres = metres
    self.degrees = degrees
    self.speedChange = speedChange
  }

  func isDue(for fix: Reference, since last: Reference) -> Bool {
    if fix.moment - last.moment >= period - Self.slack { return true }
    if let metres, last.coordinate.distance(to: fix.coordinate) >= metres { return true }
    if let speedChange, abs(fix.speed - last.speed) >= speedChange { return true }
    guard let degrees, fix.speed > Self.leastSpeedForCourse else { return false }
    let turn = abs(fix.course - last.course)
    return min(turn, 360 - turn) >= degrees
  }
}
