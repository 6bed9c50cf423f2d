import Quantities

// What the supply may tell of motion, beside the accelerometer, the receiver and the ignition line.

extension Schema {
  static let motionVoltage = Of<Double?>(
    "motion.voltage", \.motion.voltage, .offOr(.number(2...60, "V")), default: nil, applies: .atOnce,
    effect: .requires(.gauge),
    "Supply voltage from which on an engine is taken to run, as the gauge or power monitor measures it; 13.1 V suits most "
      + "12 V systems, not a smart alternator or an electric car. It wakes the receiver and holds trips open, "
      + "for half an hour at most while nothing else moves. A phone has none.")
  static let motionVoltageHold = Of<Duration>(
    "motion.voltage_hold", \.motion.voltageHold, .duration(.zero ... .seconds(3600)), default: .seconds(180),
    applies: .atOnce, effect: .requires(.motionVoltage),
    "How long motion.voltage must hold before it counts; shorter wakes the receiver for each surge, longer loses the "
      + "beginning of drives that nothing else tells.")
  static let motionCharger = Of<Bool>(
    "motion.charger", \.motion.heedsCharger, .boolean, default: false, applies: .atOnce,
    effect: .requires(.gauge),
    "Whether a charger that feeds the box for a minute says that its vehicle runs, as where the socket is live with the "
      + "ignition. A charger at home costs up to half an hour of the receiver each time that it is plugged in."
  )
}

/// What the supply tells of motion.
public struct MotionSettings: Equatable, Sendable {
  /// V; nil: off.
  public var voltage: Double? = Schema.motionVoltage.fallback
  public var voltageHold: Duration = Schema.motionVoltageHold.fallback
  public var heedsCharger: Bool = Schema.motionCharger.fallback

  public init() {}
}
