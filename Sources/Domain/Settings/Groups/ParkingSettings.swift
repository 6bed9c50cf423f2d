import Quantities

/// The parking position and its circle.
public struct ParkingSettings: Equatable, Sendable {
  /// Time at a stop after which the parking circle is drawn; nil if off.
  public var delay: Duration? = Schema.parkingDelay.fallback
  public var radiusMetres: Double = Schema.parkingRadius.fallback
  public var blindDelay: Duration = Schema.parkingBlindDelay.fallback
  public var freeze: ParkingFreeze = Schema.parkingFreeze.fallback

  public init() {}
}

extension Schema {
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

extension ParkingSettings {
  /// The declarations in the order of the reference.
  static let declared: [any SettingDeclaration<Configuration>] = [
    Schema.parkingDelay, Schema.parkingRadius, Schema.parkingBlindDelay, Schema.parkingFreeze,
  ]
}

/// The condition under which the records of a parked device show one position.
public enum ParkingFreeze: String, Sendable, CaseIterable { case off, ignition, rest }
