import Quantities
import Records

/// A trip in progress.
public struct RunningTrip: Equatable, Sendable {
  public var mode: TripMode
  public var start: Instant
  public var isManual: Bool
  /// The first recorded fix of sufficient accuracy; nil until there is one. Nothing is recorded in a privacy zone: a
  /// trip that begins there starts with its first position outside.
  public var startLocation: TripRecord.Location?
  /// The last recorded fix; nil if it is in a privacy zone that was added after it.
  public var lastLocation: TripRecord.Location?
  var odometer: Odometer
  /// Start on the boot clock; nil for a trip that began in an earlier boot.
  var startMoment: Moment?
  /// The last fix of the trip, recorded or not.
  var last: Observation?
  /// The step counter at the start, minus the steps before a restart.
  var stepsBefore: Int32?

  /// Distance so far in mm.
  public var distanceMillimetres: Int64 { odometer.millimetres }

  init(mode: TripMode, start: Instant, isManual: Bool) {
    self.mode = mode
    self.start = start
    self.isManual = isManual
    odometer = Odometer()
  }
}
