import Quantities

/// The limits of driving events; nil if off. A fixed accelerometer distinguishes harsh driving from a tilt and a pothole.
public struct DrivingSettings: Equatable, Sendable {
  /// Acceleration in m/s² from which an event is recorded.
  public var acceleration: Double? = Schema.harshAcceleration.fallback
  public var braking: Double? = Schema.harshBraking.fallback
  public var cornering: Double? = Schema.harshCornering.fallback
  /// Speed limit in km/h.
  public var speedLimit: Double? = Schema.speedLimit.fallback
  public var speedDuration: Duration = Schema.speedDuration.fallback
  public var idlingDelay: Duration? = Schema.idling.fallback
  public var idlingEnd: Duration = Schema.idlingEnd.fallback
  public var towDelay: Duration? = Schema.tow.fallback
  public var towDuration: Duration = Schema.towDuration.fallback

  public init() {}
}

extension Schema {
  static let harshAcceleration = Of<Double?>(
    "driving.acceleration_mps2", \.driving.acceleration, .offOr(.number(0.5...10, "m/s²")), default: 2.5,
    applies: .atOnce, effect: .requires(.accelerometer),
    "Acceleration that counts as harsh, in m/s². It requires an accelerometer that is fixed in the "
      + "vehicle and has learnt the forward direction on some drives. The defaults are those of common "
      + "vehicle trackers. With main.tracking_mode off and nothing to watch for, the receiver is off. "
      + "Harsh driving is then detected only after a drive with the receiver on since the program "
      + "started, such as a manual trip.")
  static let harshBraking = Of<Double?>(
    "driving.braking_mps2", \.driving.braking, .offOr(.number(0.5...10, "m/s²")), default: 2.7,
    applies: .atOnce, effect: .requires(.accelerometer),
    "Deceleration that counts as harsh braking, in m/s². It has the requirements of "
      + "driving.acceleration_mps2.")
  static let harshCornering = Of<Double?>(
    "driving.cornering_mps2", \.driving.cornering, .offOr(.number(0.5...10, "m/s²")), default: 3.4,
    applies: .atOnce, effect: .requires(.accelerometer),
    "Lateral acceleration that counts as harsh cornering, in m/s². It has the requirements of "
      + "driving.acceleration_mps2.")
  static let speedLimit = Of<Double?>(
    "driving.speed_limit_kmh", \.driving.speedLimit, .offOr(.number(5...400, "km/h")), default: nil,
    applies: .atOnce, effect: .always,
    "Speed limit, in km/h. Driving more than 3 % above it for driving.speed_limit_duration is an "
      + "event, and the end of it is another. A receiver that samples detects speeding only at its fixes.")
  static let speedDuration = Of<Duration>(
    "driving.speed_limit_duration", \.driving.speedDuration, .duration(.zero ... .seconds(3600)),
    default: .seconds(10), applies: .atOnce, effect: .requires(.speedLimit),
    "Time above driving.speed_limit_kmh until speeding is an event. A shorter time reports "
      + "overtaking, too.")
  static let idling = Of<Duration?>(
    "driving.idling", \.driving.idlingDelay, .offOr(.duration(.seconds(10) ... .days(1))), default: nil,
    applies: .atOnce, effect: .requires(.ignition),
    "Time with the ignition on and without displacement until idling is an event. 5m is usual. It "
      + "requires lines.ignition and fixes.")
  static let idlingEnd = Of<Duration>(
    "driving.idling_end", \.driving.idlingEnd, .duration(.zero ... .seconds(3600)), default: .seconds(5),
    applies: .atOnce, effect: .requires(.idling),
    "Time that the vehicle must move until idling ends. A longer time counts a traffic queue as "
      + "idling.")
  static let tow = Of<Duration?>(
    "driving.tow", \.driving.towDelay, .offOr(.duration(.zero ... .days(1))), default: nil, applies: .atOnce,
    effect: .requires(.ignition),
    "Time after the ignition is switched off from which motion counts as a tow. 5m is usual. It "
      + "requires lines.ignition. An accelerometer detects a tow immediately, sparse position checks "
      + "only after minutes or hours.")
  static let towDuration = Of<Duration>(
    "driving.tow_duration", \.driving.towDuration, .duration(.zero ... .seconds(3600)), default: .seconds(60),
    applies: .atOnce, effect: .requires(.tow),
    "Time that a tow must last until it is an event. Half a minute is added in which the ignition "
      + "may still come on. A shorter time raises an alarm when somebody gets in.")
}

extension DrivingSettings {
  /// The declarations in the order of the reference.
  static let declared: [any SettingDeclaration<Configuration>] = [
    Schema.harshAcceleration, Schema.harshBraking, Schema.harshCornering, Schema.speedLimit,
    Schema.speedDuration, Schema.idling, Schema.idlingEnd, Schema.tow, Schema.towDuration,
  ]
}
