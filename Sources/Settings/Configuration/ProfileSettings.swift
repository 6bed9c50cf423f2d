import Quantities

/// When positions become records while a condition holds; it takes the place of `main.min_time` and `main.min_distance`.
public struct ProfileSettings: Equatable, Sendable {
  public var when: ProfileCondition = Field.when.fallback
  /// Nil: off, here and below.
  public var period: Duration? = Field.period.fallback
  public var distanceMetres: Double? = Field.distance.fallback
  /// Degrees.
  public var angle: Double? = Field.angle.fallback
  /// Degrees that suffice beyond ``angleWithinMetres``; nil: as ``angle``.
  public var longAngle: Double? = Field.longAngle.fallback
  public var angleWithinMetres: Double = Field.angleWithin.fallback
  /// km/h.
  public var angleMinSpeed: Double = Field.angleMinSpeed.fallback
  /// Change in km/h.
  public var speed: Double? = Field.speed.fallback
  public var beaconing: BeaconingSettings? = Field.beaconing.fallback
  public var ceiling: Duration? = Field.ceiling.fallback
  public var minInterval: Duration? = Field.minInterval.fallback
  public var heedsTransitions: Bool = Field.transition.fallback
  public var heedsEvents: Bool = Field.event.fallback

  public init() {}

  enum Field {
    typealias Of<Value: Equatable & Sendable> = Setting<ProfileSettings, Value>

    static let when = Of<ProfileCondition>(
      "when", \.when, .word, default: .always, isRequired: true, applies: .atOnce, effect: .always,
      "While what it counts: a battery that is low (power.low), a zone with profile, a charger or mains, a trip, motion, rest "
        + "for a minute, or always. One word stands in one profile only.")
    static let period = Of<Duration?>(
      "period", \.period, .offOr(.duration(.milliseconds(100) ... .days(7))), default: nil, applies: .atOnce,
      effect: .always,
      "Time since the last record that makes another. It costs no charge while the receiver is on anyway; with a plan that "
        + "samples, only fixes that the plan takes can be kept.")
    static let distance = Of<Double?>(
      "distance", \.distanceMetres, .offOr(.distance(1...100_000)), default: nil, applies: .atOnce,
      effect: .always,
      "Distance from the last record in a straight line that makes another, where it is more than both are uncertain."
    )
    static let angle = Of<Double?>(
      "angle_deg", \.angle, .offOr(.number(1...180, "°")), default: nil, applies: .atOnce, effect: .always,
      "Turn since the last record that makes another, where the course is known well; 10 to 20 draw a road's bends with few "
        + "records.")
    static let longAngle = Of<Double?>(
      "angle_long_deg", \.longAngle, .offOr(.number(1...180, "°")), default: nil, applies: .atOnce,
      effect: .always,
      "Smaller turn that suffices farther than angle_within from the last record: 60 and 20 keep corners in town and bends "
        + "of a motorway.")
    static let angleWithin = Of<Double>(
      "angle_within", \.angleWithinMetres, .distance(1...100_000), default: 250, applies: .atOnce,
      effect: .requires(.longAngle),
      "Distance from the last record up to which angle_deg counts where angle_long_deg is given.")
    static let angleMinSpeed = Of<Double>(
      "angle_min_speed_kmh", \.angleMinSpeed, .number(0...200, "km/h"), default: 10, applies: .atOnce,
      effect: .requires(.turn),
      "Speed below which no turn counts: a receiver at rest turns about. 4 suits walking, and costs some false corners."
    )
    static let speed = Of<Double?>(
      "speed_kmh", \.speed, .offOr(.number(1...500, "km/h")), default: nil, applies: .atOnce, effect: .always,
      "Change of speed since the last record that makes another, as in braking.")
    static let beaconing = Of<BeaconingSettings?>(
      "beaconing", \.beaconing,
      .fitted(.group(of: BeaconingSettings.Field.table, empty: BeaconingSettings())), default: nil,
      applies: .atOnce, effect: .always,
      "SmartBeaconing, beside the other rules: a period that follows the speed, and corners whose angle does."
    )
    static let ceiling = Of<Duration?>(
      "ceiling", \.ceiling, .offOr(.duration(.seconds(60) ... .days(30))), default: nil, applies: .atOnce,
      effect: .always,
      "Longest time without a record: then the log tells a heartbeat, and the next position is kept. A heartbeat costs some "
        + "100 bytes, and wakes no receiver.")
    static let minInterval = Of<Duration?>(
      "min_interval", \.minInterval, .offOr(.duration(.milliseconds(100) ... .days(1))), default: nil,
      applies: .atOnce, effect: .always,
      "Shortest time between two records that the rules make; transitions and events are not held back.")
    static let transition = Of<Bool>(
      "transition", \.heedsTransitions, .boolean, default: true, applies: .atOnce, effect: .always,
      "Whether a position is kept where the profile, rest and motion, or a trip change, so that the end of a drive has one."
    )
    static let event = Of<Bool>(
      "event", \.heedsEvents, .boolean, default: false, applies: .atOnce, effect: .always,
      "Whether an event of ignition, charger, zone, parking or driving has the next position kept. A receiver "
        + "that sleeps is woken for it, at most once a minute, but not by each event of a search without sky."
    )

    static let table = SettingTable<ProfileSettings>(
      [
        when, period, distance, angle, longAngle, angleWithin, angleMinSpeed, speed, beaconing, ceiling,
        minInterval, transition, event,
      ],
      check: { profile in
        profile.longAngle != nil && profile.angle == nil
          ? "angle_deg for short distances beside angle_long_deg" : nil
      })
  }
}

/// While what a profile counts.
public enum ProfileCondition: String, Sendable, CaseIterable {
  case lowBattery = "low_battery"
  /// In a zone with `profile`.
  case inZone = "in_zone"
  case charging, trip, moving, stop, always
}
