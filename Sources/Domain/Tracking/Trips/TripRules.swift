import Quantities

/// The rules by which trips begin and end automatically.
public struct TripRules: Equatable, Sendable {
  /// True if trips also begin and end automatically; false if only by command.
  public var isAutomatic = false
  /// The mode of automatic trips.
  public var mode = TripMode.car
  /// True if the mode of an automatic trip is its most frequent motion, because no mode is set; ``mode`` applies while
  /// the motion is unknown.
  public var followsMotion = false
  /// Distance in metres from the stop, uncertainty subtracted, that confirms a start.
  public var startDistance = 200.0
  /// Speed in m/s that confirms a start if it holds for ``startDuration``.
  public var startSpeed = 10 / 3.6
  public var startDuration = Duration.seconds(20)
  /// Length of a stop that ends a trip. The next trip begins there; a shorter stop does not split a trip.
  public var endDelay = Duration.seconds(300)
  /// Time with ignition off, while stationary, that ends a trip.
  public var ignitionDelay = Duration.seconds(120)
  /// Time without a fix, and without other evidence of motion, that ends a trip.
  public var fixTimeout = Duration.seconds(1200)
  /// Length of a gap between fixes that is logged if the device is elsewhere afterwards.
  public var gapLimit = Duration.seconds(3600)
  /// Shortest distance in metres and duration of a trip; the locations of a shorter one remain.
  public var minDistance = 300.0
  public var minDuration = Duration.seconds(180)

  public init() {}
}

/// A command for trips by a person, a program or a server.
public enum TripCommand: Equatable, Sendable {
  /// Start a trip; ignored while one is running.
  case start(TripMode)
  case stop
  /// Change the mode of the running trip.
  case mode(TripMode)
}
