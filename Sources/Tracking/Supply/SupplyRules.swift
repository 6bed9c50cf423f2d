import Quantities

/// How the supply tells of motion: an alternator at work raises its voltage, and a vehicle that runs charges the box.
public struct SupplyRules: Equatable, Sendable {
  /// V from which on the supply says moving; nil never asks it.
  public var voltage: Double?
  /// So long the voltage must hold.
  public var voltageHold = Duration.seconds(180)
  /// Whether a charger says moving.
  public var heedsCharger = false

  public init() {}

  /// How long a charger must be there, and how long either must be gone, before it counts: plugs bounce and an engine
  /// stalls.
  static let delay = Duration.seconds(60)
  /// A voltage that has counted ceases to below this share of its level.
  static let release = 0.985
  /// So long the supply is believed while nothing else moves: a charger at home and the battery of an electric car that
  /// is topped up look like a drive.
  static let patience = Duration.seconds(1800)
}
