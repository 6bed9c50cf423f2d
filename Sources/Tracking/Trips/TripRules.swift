import Quantities

/// When a trip begins and ends by itself.
public struct TripRules: Equatable, Sendable {
  /// False: trips begin and end only when somebody says so.
  public var isAutomatic = false
  /// The mode of trips that begin by themselves.
  public var mode = TripMode.car
  /// Metres from the place of rest, uncertainty subtracted, that confirm a start.
  public var startDistance = 200.0
  /// m/s; held for ``startDuration`` it confirms a start as well.
  public var startSpeed = 10 / 3.6
  public var startDuration = Duration.seconds(20)
  /// So long a rest ends a trip, and where it was the next one begins; a shorter one does not split it.
  public var endDelay = Duration.seconds(300)
  /// So long the ignition must be off, at rest, to end it.
  public var ignitionDelay = Duration.seconds(120)
  /// So long without a fix, and without other evidence of motion, ends it.
  public var fixTimeout = Duration.seconds(1200)
  /// A pause between fixes that is told as a gap, when the device is elsewhere after it.
  public var gapLimit = Duration.seconds(3600)
  /// Metres and time below which it was no trip; the points are kept.
  public var minDistance = 300.0
  public var minDuration = Duration.seconds(180)

  public init() {}
}

/// What a person, a program or a server wants of the trip.
public enum TripCommand: Equatable, Sendable {
  /// Ignored while a trip runs.
  case start(TripMode)
  case stop
  /// Another mode for the running trip.
  case mode(TripMode)
}
