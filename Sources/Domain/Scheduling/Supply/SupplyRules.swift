import Quantities

/// The rules by which the supply counts as motion: a running alternator raises its voltage, and a running vehicle
/// charges the device.
public struct SupplyRules: Equatable, Sendable {
  /// Voltage in V that counts as motion; nil if off.
  public var voltage: Double?
  /// Time that the voltage must last.
  public var voltageHold = Duration.seconds(180)
  /// True if a charger counts as motion.
  public var reactsToCharger = false

  public init() {}

  /// Time that a charger must be connected, and that either source must be gone, because plugs bounce and engines
  /// stall.
  static let delay = Duration.seconds(60)
  /// Share of its limit below which a voltage stops counting.
  static let release = 0.985
  /// Longest time that the supply counts while nothing else moves. A charger at home, or an electric car whose
  /// battery is topped up, looks like a drive.
  static let longestUnconfirmed = Duration.seconds(1800)
}
