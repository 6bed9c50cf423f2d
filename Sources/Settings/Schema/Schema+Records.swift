import Quantities

// What becomes of a position between the receiver and the log, and what is done while the box rests.

extension Schema {
  static let profiles = Of<[ProfileSettings]>(
    "profiles", \.profiles,
    .list(of: ProfileSettings.Field.table, named: "when", \.when.rawValue, empty: ProfileSettings()),
    default: [], applies: .atOnce, effect: .always,
    "Rules of their own for when positions are kept, by condition: the first of the list whose condition holds counts alone, "
      + "and any of its rules makes a record. Where none holds, main.min_time and main.min_distance count; trip.min_time and "
      + "trip.min_distance, where they differ from those, stand before moving, stop and always unless trip is listed. Fewer records cost less data; the "
      + "receiver's charge is that of main.tracking_mode. One that can never count is named at the start. A phone has none."
  )
  static let accuracyRetry = Of<Duration?>(
    "main.accuracy_retry", \.main.accuracyRetry, .offOr(.duration(.seconds(1) ... .seconds(3600))),
    default: nil, applies: .atOnce, effect: .requires(.maxAccuracy),
    "After so long without a position as good as main.max_accuracy the best of those left out is kept after all; a receiver "
      + "that may sleep waits for as long at the end of a way, at its full current. A phone leaves them out.")
  static let quietSpeed = Of<Double?>(
    "main.quiet_speed_mps", \.main.quietSpeed, .offOr(.number(0.1...5, "m/s")), default: nil,
    applies: .atOnce, effect: .always,
    "Speed below which a record says 0 and no course, for both are noise then; 0.5 suits most receivers. Off keeps what the "
      + "receiver said, which a phone smooths by itself. It costs nothing.")

  static let checkInterval = Of<Duration>(
    "main.check_interval", \.main.checkInterval, .duration(.seconds(60) ... .days(1)),
    default: .seconds(900), applies: .atOnce, effect: .requires(.sleepingReceiver),
    "Time into a rest after which the receiver first looks whether the box was carried off unnoticed; each look doubles it up "
      + "to main.check_longest. A look costs a start of the receiver, some 5 to 30 s of its current. Without a motion sensor "
      + "they come each 3 minutes unless this is given. A phone's system looks for itself.")
  static let checkLongest = Of<Duration>(
    "main.check_longest", \.main.checkLongest, .duration(.seconds(60) ... .days(7)),
    default: .seconds(4 * 3600), applies: .atOnce, effect: .requires(.sleepingReceiver),
    "Longest time between two looks at rest; one below main.check_interval keeps that interval.")
  static let checkDistance = Of<Double>(
    "main.check_distance", \.main.checkMetres, .distance(30...100_000), default: 500, applies: .atOnce,
    effect: .requires(.sleepingReceiver),
    "Distance from the place of rest, beyond what both fixes are uncertain, at which a look finds the box carried off and "
      + "recording resumes; 30m count where no motion sensor tells. Less finds it sooner, and takes a poor fix for a move."
  )

  static let parkingDelay = Of<Duration?>(
    "parking.delay", \.parking.delay, .offOr(.duration(.seconds(60) ... .days(1))), default: nil,
    applies: .atOnce, effect: .always,
    "How long a rest draws a circle around the place: leaving it is the event parking_moved, also by motion without a fix, as "
      + "into a truck. 5m is usual. It uses the fixes there are, and wakes no receiver. A phone has none.")
  static let parkingRadius = Of<Double>(
    "parking.radius", \.parking.radiusMetres, .distance(10...10_000), default: 100, applies: .atOnce,
    effect: .requires(.parking),
    "Radius of that circle; below some 50 m the fixes' own errors decide.")
  static let parkingBlindDelay = Of<Duration>(
    "parking.blind_delay", \.parking.blindDelay, .duration(.seconds(10) ... .days(1)), default: .seconds(300),
    applies: .atOnce, effect: .requires(.parkingSensor),
    "How long sensors must tell of motion without any fix until the parked box counts as moved; shorter alarms in a garage."
  )
  static let parkingFreeze = Of<ParkingFreeze>(
    "parking.freeze", \.parking.freeze, .word, default: .ignition, applies: .atOnce,
    effect: .requires(.freezeIgnition),
    "While what the records of a box that has rested for a minute show one place, no speed and no course: ignition while that "
      + "is off, where lines.ignition tells; rest at any rest but with the ignition on, which without a sensor puts the first 50 m "
      + "of a departure at that place too; off never. What the receiver said then is not kept. A phone shows its system's "
      + "smoothed place.")
}

/// What is done at the place of a rest.
public struct ParkingSettings: Equatable, Sendable {
  /// Nil: off.
  public var delay: Duration? = Schema.parkingDelay.fallback
  public var radiusMetres: Double = Schema.parkingRadius.fallback
  public var blindDelay: Duration = Schema.parkingBlindDelay.fallback
  public var freeze: ParkingFreeze = Schema.parkingFreeze.fallback

  public init() {}
}

/// While what the records of a parked box show one place.
public enum ParkingFreeze: String, Sendable, CaseIterable { case off, ignition, rest }
