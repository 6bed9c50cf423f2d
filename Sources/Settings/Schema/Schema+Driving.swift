import Quantities

// What of the way a vehicle is driven becomes an event. Harshness is told apart from a tilt and a pothole where the
// accelerometer sits fixed.

extension Schema {
  static let harshAcceleration = Of<Double?>(
    "driving.acceleration_mps2", \.driving.acceleration, .offOr(.number(0.5...10, "m/s²")), default: 2.5,
    applies: .atOnce, effect: .requires(.accelerometer),
    "From what on speeding up is an event; wants an accelerometer that sits fixed in the vehicle and has learnt from "
      + "some drives where forward is. With main.tracking_mode off and nothing to watch for the receiver is off, and this "
      + "is told only where a drive with the receiver on, as a trip by hand, has taught it since the program started. The "
      + "defaults are those of common vehicle trackers. A phone tells none."
  )
  static let harshBraking = Of<Double?>(
    "driving.braking_mps2", \.driving.braking, .offOr(.number(0.5...10, "m/s²")), default: 2.7,
    applies: .atOnce, effect: .requires(.accelerometer),
    "From what on braking is an event, as driving.acceleration_mps2.")
  static let harshCornering = Of<Double?>(
    "driving.cornering_mps2", \.driving.cornering, .offOr(.number(0.5...10, "m/s²")), default: 3.4,
    applies: .atOnce, effect: .requires(.accelerometer),
    "From what on a curve is an event, as driving.acceleration_mps2.")
  static let speedLimit = Of<Double?>(
    "driving.speed_limit_kmh", \.driving.speedLimit, .offOr(.number(5...400, "km/h")), default: nil,
    applies: .atOnce, effect: .always,
    "Speed above which driving is an event once it lasts, and its end another; 3 % beyond it are let pass. A receiver that "
      + "samples sees only what lies at its fixes. A phone tells none.")
  static let speedDuration = Of<Duration>(
    "driving.speed_limit_duration", \.driving.speedDuration, .duration(.zero ... .seconds(3600)),
    default: .seconds(10), applies: .atOnce, effect: .requires(.speedLimit),
    "How long driving.speed_limit_kmh must be exceeded; shorter tells overtaking too.")
  static let idling = Of<Duration?>(
    "driving.idling", \.driving.idlingDelay, .offOr(.duration(.seconds(10) ... .days(1))), default: nil,
    applies: .atOnce, effect: .requires(.ignition),
    "How long the ignition must be on without displacement until idling is an event; 5m is usual. Wants lines.ignition and "
      + "fixes. A phone tells none.")
  static let idlingEnd = Of<Duration>(
    "driving.idling_end", \.driving.idlingEnd, .duration(.zero ... .seconds(3600)), default: .seconds(5),
    applies: .atOnce, effect: .requires(.idling),
    "How long the vehicle must move until idling is over; longer takes a queue for idling.")
  static let tow = Of<Duration?>(
    "driving.tow", \.driving.towDelay, .offOr(.duration(.zero ... .days(1))), default: nil, applies: .atOnce,
    effect: .requires(.ignition),
    "How long the ignition must be off until motion is taken for a tow; 5m is usual. Wants lines.ignition; an "
      + "accelerometer tells it at once, sparse checks of the place only after minutes or hours.")
  static let towDuration = Of<Duration>(
    "driving.tow_duration", \.driving.towDuration, .duration(.zero ... .seconds(3600)), default: .seconds(60),
    applies: .atOnce, effect: .requires(.tow),
    "How long a tow must last until it is an event, beside half a minute in which the ignition may still come on; shorter "
      + "alarms when somebody gets in.")
}

/// What of the way a vehicle is driven becomes an event; nil: off.
public struct DrivingSettings: Equatable, Sendable {
  /// m/s².
  public var acceleration: Double? = Schema.harshAcceleration.fallback
  public var braking: Double? = Schema.harshBraking.fallback
  public var cornering: Double? = Schema.harshCornering.fallback
  /// km/h.
  public var speedLimit: Double? = Schema.speedLimit.fallback
  public var speedDuration: Duration = Schema.speedDuration.fallback
  public var idlingDelay: Duration? = Schema.idling.fallback
  public var idlingEnd: Duration = Schema.idlingEnd.fallback
  public var towDelay: Duration? = Schema.tow.fallback
  public var towDuration: Duration = Schema.towDuration.fallback

  public init() {}
}
