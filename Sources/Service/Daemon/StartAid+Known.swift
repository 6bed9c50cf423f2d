import GNSSReceiver
import Quantities
import Records

extension StartAid {
  /// The largest age of the receiver's time, which is that of the end of its epoch.
  private static let delay = Duration.seconds(1)
  /// The smallest vertical error in m: height above mean sea level replaces height above the ellipsoid, at most 110 m
  /// off.
  private static let separation = 150.0
  /// The assumed error in m of a position without accuracy.
  private static let unknownError = 100.0

  /// The aiding data of the logger: the time of the receiver, else of a disciplined system clock, and the last location
  /// if its age is known.
  init(
    receiverTime: Timestamp?, systemTime: (utc: Timestamp, error: Duration)?, lastLocation: LogRecord?,
    isOfThisBoot: Bool, now: Moment
  ) {
    let time =
      receiverTime.map { Time(utc: $0, error: Self.delay, at: now) }
      ?? systemTime.map { Time(utc: $0.utc, error: $0.error, at: now) }
    self.init(time: time)
    guard let lastLocation, case .location(let location) = lastLocation.body else { return }
    let moment: Moment
    if isOfThisBoot {
      moment = lastLocation.moment
    } else {
      // The clocks of two boots have only UTC in common.
      guard let time, let recorded = lastLocation.time else { return }
      moment = now - max(time.utc - recorded, .zero)
    }
    let error = location.horizontalAccuracyMillimetres.map { Double($0) / 1000 } ?? Self.unknownError
    let altitude = location.altitudeMillimetres.map { Double($0) / 1000 }
    knownPosition = KnownPosition(
      position: location.coordinate, altitude: altitude,
      error: altitude == nil ? error : max(error, Self.separation), at: moment)
  }
}
