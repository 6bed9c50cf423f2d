import Quantities

/// The supply as a motion sensor.
public struct MotionSettings: Equatable, Sendable {
  /// Voltage in V that counts as motion; nil if off.
  public var voltage: Double? = Schema.motionVoltage.fallback
  public var voltageHold: Duration = Schema.motionVoltageHold.fallback
  public var reactsToCharger: Bool = Schema.motionCharger.fallback

  public init() {}
}

extension Schema {
  static let motionVoltage = Of<Double?>(
    "motion.voltage", \.motion.voltage, .offOr(.number(2...60, "V")), default: nil, applies: .atOnce,
    effect: .requires(.gauge),
    "Supply voltage from which an engine is assumed to run, in V, as the gauge or power monitor "
      + "measures it. 13.1 V suits most 12 V systems, but neither a smart alternator nor an electric "
      + "car. It wakes the receiver and keeps trips open, without other motion for half an hour at most.")
  static let motionVoltageHold = Of<Duration>(
    "motion.voltage_hold", \.motion.voltageHold, .duration(.zero ... .seconds(3600)), default: .seconds(180),
    applies: .atOnce, effect: .requires(.motionVoltage),
    "Time that motion.voltage must last before it counts. A shorter time wakes the receiver for "
      + "every surge. A longer time loses the start of drives that nothing else reports.")
  static let motionCharger = Of<Bool>(
    "motion.charger", \.motion.reactsToCharger, .boolean, default: false, applies: .atOnce,
    effect: .requires(.gauge),
    "Use of a charger as a sign that the vehicle runs, after one minute of charging. It suits a "
      + "socket that is live with the ignition. A charger at home costs up to half an hour of the "
      + "receiver's current every time it is plugged in.")
}

extension MotionSettings {
  /// The declarations in the order of the reference.
  static let declared: [any SettingDeclaration<Configuration>] = [
    Schema.motionVoltage, Schema.motionVoltageHold, Schema.motionCharger,
  ]
}
