import Quantities

// Settings of recording rules, of position checks and of parking.

extension Schema {
  static let profiles = Of<[ProfileSettings]>(
    "profiles", \.profiles,
    .list(of: ProfileSettings.Field.table, named: "when", \.when.rawValue, empty: ProfileSettings()),
    default: [], applies: .atOnce, effect: .always,
    "Recording rules by condition. The first profile in the list whose condition holds applies "
      + "alone, and any of its rules makes a record. If none holds, main.min_time and main.min_distance "
      + "apply. Unless trip is listed, trip.min_time and trip.min_distance precede moving, stop and "
      + "always, if they differ from those of main. Fewer records cost less data; the receiver's charge "
      + "depends on main.tracking_mode. A profile that can never apply is reported at the start.")
  static let accuracyRetry = Of<Duration?>(
    "main.accuracy_retry", \.main.accuracyRetry, .offOr(.duration(.seconds(1) ... .seconds(3600))),
    default: nil, applies: .atOnce, effect: .requires(.maxAccuracy),
    "Time without a location as accurate as main.max_accuracy after which the best rejected one is "
      + "recorded. A receiver that may sleep waits as long at the end of a leg, at its full current.")
  static let quietSpeed = Of<Double?>(
    "main.quiet_speed_mps", \.main.quietSpeed, .offOr(.number(0.1...5, "m/s")), default: nil,
    applies: .atOnce, effect: .always,
    "Speed in m/s below which a record has speed 0 and no course, because both are noise. 0.5 suits "
      + "most receivers. Off keeps the receiver's values. It costs nothing.")

  static let checkInterval = Of<Duration>(
    "main.check_interval", \.main.checkInterval, .duration(.seconds(60) ... .days(1)),
    default: .seconds(900), applies: .atOnce, effect: .requires(.sleepingReceiver),
    "Time from the stop to the first position check, which detects an unnoticed departure. Every "
      + "check doubles the interval, up to main.check_longest. A check costs a start of the receiver, "
      + "about 5 to 30 s of its current. Without a motion sensor, the checks come every 3 minutes unless "
      + "this is given.")
  static let checkLongest = Of<Duration>(
    "main.check_longest", \.main.checkLongest, .duration(.seconds(60) ... .days(7)),
    default: .seconds(4 * 3600), applies: .atOnce, effect: .requires(.sleepingReceiver),
    "Longest time between two position checks while stationary. A value below main.check_interval "
      + "keeps that interval.")
  static let checkDistance = Of<Double>(
    "main.check_distance", \.main.checkMetres, .distance(30...100_000), default: 500, applies: .atOnce,
    effect: .requires(.sleepingReceiver),
    "Distance from the stop, beyond the horizontal accuracy of both fixes, at which a position check "
      + "resumes recording. Without a motion sensor, 30m applies. A smaller distance detects a departure "
      + "sooner, but takes a poor fix for one.")

  static let parkingDelay = Of<Duration?>(
    "parking.delay", \.parking.delay, .offOr(.duration(.seconds(60) ... .days(1))), default: nil,
    applies: .atOnce, effect: .always,
    "Time at a stop after which a circle of parking.radius is drawn around it. Leaving the circle is "
      + "the event parking_moved; so is motion without a fix, as into a truck. 5m is usual. It uses the "
      + "available fixes and does not wake the receiver.")
  static let parkingRadius = Of<Double>(
    "parking.radius", \.parking.radiusMetres, .distance(10...10_000), default: 100, applies: .atOnce,
    effect: .requires(.parking),
    "Radius of the parking circle. Below about 50 m, the accuracy of the fixes decides.")
  static let parkingBlindDelay = Of<Duration>(
    "parking.blind_delay", \.parking.blindDelay, .duration(.seconds(10) ... .days(1)), default: .seconds(300),
    applies: .atOnce, effect: .requires(.parkingSensor),
    "Time of sensed motion without a fix after which the parked device counts as moved. A shorter "
      + "time raises alarms in a garage.")
  static let parkingFreeze = Of<ParkingFreeze>(
    "parking.freeze", \.parking.freeze, .word, default: .ignition, applies: .atOnce,
    effect: .requires(.freezeIgnition),
    "Condition under which records of a device that is stationary for a minute show one position, no "
      + "speed and no course. ignition holds while the ignition is off, if lines.ignition reports it. "
      + "rest holds at every stop unless the ignition is on. Without a sensor, rest puts the first 50 m "
      + "of a departure at that position, too. off never holds. The receiver's own values are then not "
      + "recorded.")
}

/// The parking position and its circle.
public struct ParkingSettings: Equatable, Sendable {
  /// Time at a stop after which the parking circle is drawn; nil if off.
  public var delay: Duration? = Schema.parkingDelay.fallback
  public var radiusMetres: Double = Schema.parkingRadius.fallback
  public var blindDelay: Duration = Schema.parkingBlindDelay.fallback
  public var freeze: ParkingFreeze = Schema.parkingFreeze.fallback

  public init() {}
}

/// The condition under which the records of a parked device show one position.
public enum ParkingFreeze: String, Sendable, CaseIterable { case off, ignition, rest }
