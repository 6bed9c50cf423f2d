// From which acceleration on driving is harsh. Told apart from a tilt and a pothole where the accelerometer sits fixed.

extension Schema {
  static let harshAcceleration = Of<Double?>(
    "driving.acceleration_mps2", \.driving.acceleration, .offOr(.number(0.5...10, "m/s²")), default: 2.5,
    applies: .atOnce,
    "From what on speeding up is an event; wants an accelerometer that sits fixed in the vehicle and has learnt from "
      + "some drives where forward is. The defaults are those of common vehicle trackers. A phone tells none."
  )
  static let harshBraking = Of<Double?>(
    "driving.braking_mps2", \.driving.braking, .offOr(.number(0.5...10, "m/s²")), default: 2.7,
    applies: .atOnce, "From what on braking is an event, as driving.acceleration_mps2.")
  static let harshCornering = Of<Double?>(
    "driving.cornering_mps2", \.driving.cornering, .offOr(.number(0.5...10, "m/s²")), default: 3.4,
    applies: .atOnce, "From what on a curve is an event, as driving.acceleration_mps2.")
}

/// From which acceleration on driving is harsh, in m/s²; nil: off.
public struct DrivingSettings: Equatable, Sendable {
  public var acceleration: Double? = Schema.harshAcceleration.fallback
  public var braking: Double? = Schema.harshBraking.fallback
  public var cornering: Double? = Schema.harshCornering.fallback

  public init() {}
}
