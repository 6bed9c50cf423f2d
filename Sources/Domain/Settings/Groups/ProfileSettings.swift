import Quantities

/// The recording rules under one condition. They replace `main.min_time` and `main.min_distance`.
public struct ProfileSettings: Equatable, Sendable {
  public var when: ProfileCondition = Field.when.fallback
  /// The recording interval. Nil means off, here and below.
  public var period: Duration? = Field.period.fallback
  public var distanceMetres: Double? = Field.distance.fallback
  /// Change of course in degrees.
  public var angle: Double? = Field.angle.fallback
  /// Change of course in degrees beyond ``angleWithinMetres``; nil for that of ``angle``.
  public var longAngle: Double? = Field.longAngle.fallback
  public var angleWithinMetres: Double = Field.angleWithin.fallback
  /// Lowest speed in km/h at which the course counts.
  public var angleMinSpeed: Double = Field.angleMinSpeed.fallback
  /// Change of speed in km/h.
  public var speed: Double? = Field.speed.fallback
  public var beaconing: BeaconingSettings? = Field.beaconing.fallback
  public var ceiling: Duration? = Field.ceiling.fallback
  public var minInterval: Duration? = Field.minInterval.fallback
  public var reactsToTransitions: Bool = Field.transition.fallback
  public var reactsToEvents: Bool = Field.event.fallback

  public init() {}

  enum Field {
    typealias Of<Value: Equatable & Sendable> = Setting<ProfileSettings, Value>

    static let when = Of<ProfileCondition>(
      "when", \.when, .word, default: .always, isRequired: true, applies: .atOnce, effect: .always,
      "Condition under which the profile applies: low battery (power.low), a zone with profile, a "
        + "charger or mains, a trip, motion, a minute stationary, or always. Every condition may appear in "
        + "one profile only.")
    static let period = Of<Duration?>(
      "period", \.period, .offOr(.duration(.milliseconds(100) ... .days(7))), default: nil, applies: .atOnce,
      effect: .always,
      "Time since the last record after which another is made. It costs no charge while the receiver "
        + "is on anyway. If the tracking policy samples, only its fixes can be recorded.")
    static let distance = Of<Double?>(
      "distance", \.distanceMetres, .offOr(.distance(1...100_000)), default: nil, applies: .atOnce,
      effect: .always,
      "Straight distance from the last record after which another is made. It must exceed the "
        + "horizontal accuracy of both.")
    static let angle = Of<Double?>(
      "angle_deg", \.angle, .offOr(.number(1...180, "°")), default: nil, applies: .atOnce, effect: .always,
      "Turn since the last record after which another is made, in degrees, if the course is well "
        + "known. 10 to 20 draws the bends of a road with few records.")
    static let longAngle = Of<Double?>(
      "angle_long_deg", \.longAngle, .offOr(.number(1...180, "°")), default: nil, applies: .atOnce,
      effect: .always,
      "Smaller turn that suffices farther than angle_within from the last record, in degrees. 60 for "
        + "angle_deg and 20 here keep corners in town and bends of a motorway.")
    static let angleWithin = Of<Double>(
      "angle_within", \.angleWithinMetres, .distance(1...100_000), default: 250, applies: .atOnce,
      effect: .requires(.longAngle),
      "Distance from the last record up to which angle_deg applies if angle_long_deg is given.")
    static let angleMinSpeed = Of<Double>(
      "angle_min_speed_kmh", \.angleMinSpeed, .number(0...200, "km/h"), default: 10, applies: .atOnce,
      effect: .requires(.turn),
      "Speed in km/h below which turns are ignored, because the course of a stationary receiver is "
        + "noise. 4 suits walking, but causes some false corners.")
    static let speed = Of<Double?>(
      "speed_kmh", \.speed, .offOr(.number(1...500, "km/h")), default: nil, applies: .atOnce, effect: .always,
      "Change of speed since the last record after which another is made, in km/h, as in braking.")
    static let beaconing = Of<BeaconingSettings?>(
      "beaconing", \.beaconing,
      .optionalComponent(.group(of: BeaconingSettings.Field.table, empty: BeaconingSettings())), default: nil,
      applies: .atOnce, effect: .always,
      "SmartBeaconing, in addition to the other rules. Its interval and the angle of its corners "
        + "follow the speed.")
    static let ceiling = Of<Duration?>(
      "ceiling", \.ceiling, .offOr(.duration(.seconds(60) ... .days(30))), default: nil, applies: .atOnce,
      effect: .always,
      "Longest time without a record. Then a heartbeat is logged and the next location is recorded. A "
        + "heartbeat costs about 100 bytes and does not wake the receiver.")
    static let minInterval = Of<Duration?>(
      "min_interval", \.minInterval, .offOr(.duration(.milliseconds(100) ... .days(1))), default: nil,
      applies: .atOnce, effect: .always,
      "Shortest time between two records that the rules make. Transitions and events are not delayed.")
    static let transition = Of<Bool>(
      "transition", \.reactsToTransitions, .boolean, default: true, applies: .atOnce, effect: .always,
      "Records a location when the profile, the motion state or the trip changes, so that the end "
        + "of a drive has one.")
    static let event = Of<Bool>(
      "event", \.reactsToEvents, .boolean, default: false, applies: .atOnce, effect: .always,
      "Records the next location after an event of ignition, charger, zone, parking or driving. A "
        + "receiver that sleeps is woken for it, at most once a minute. Without reception, not every "
        + "event wakes it.")

    static let table = SettingTable<ProfileSettings>(
      [
        when, period, distance, angle, longAngle, angleWithin, angleMinSpeed, speed, beaconing, ceiling,
        minInterval, transition, event,
      ],
      check: { profile in
        profile.longAngle != nil && profile.angle == nil
          ? "angle_deg, for short distances, together with angle_long_deg" : nil
      })
  }
}
