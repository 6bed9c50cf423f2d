import Quantities
import Records

/// A trip that has begun and not ended.
public struct RunningTrip: Equatable, Sendable {
  public var mode: TripMode
  public var start: Instant
  public var isManual: Bool
  /// The first kept fix that is good enough; nil until there is one. In a private zone nothing is kept: a trip that begins
  /// there has its first place outside.
  public var startPlace: TripRecord.Place?
  /// The last kept fix; nil where it lies in a private zone that was declared after it.
  public var lastPlace: TripRecord.Place?
  var odometer: Odometer
  /// On the boot clock; nil for a trip that began in an earlier boot.
  var startMoment: Moment?
  /// The last fix of the trip, kept or not.
  var last: Sample?
  /// What the counter of steps showed at the start, less what was counted before a restart.
  var stepsBefore: Int32?

  /// So far, mm.
  public var distanceMillimetres: Int64 { odometer.millimetres }

  init(mode: TripMode, start: Instant, isManual: Bool) {
    self.mode = mode
    self.start = start
    self.isManual = isManual
    odometer = Odometer()
  }
}
