import GNSS
import Quantities
import Records

extension StartAid {
  /// What the receiver said of the time came with the end of its epoch, which is up to so long ago.
  private static let delay = Duration.seconds(1)
  /// Metres; a height above the sea stands for one above the ellipsoid, which is at most 110 m off.
  private static let separation = 150.0
  /// Metres; of a position whose error nobody has told.
  private static let unknownError = 100.0

  /// What the logger knows: the receiver's time before the system's, where somebody disciplines that, and the last
  /// location as long as its age is known.
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
    place = Place(
      position: location.coordinate, altitude: altitude,
      error: altitude == nil ? error : max(error, Self.separation), at: moment)
  }
}
