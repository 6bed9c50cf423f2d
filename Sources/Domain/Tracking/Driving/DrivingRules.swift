import Quantities

/// The rules of overspeed, idling and tow events.
public struct DrivingRules: Equatable, Sendable {
  /// Speed limit in m/s; nil if off.
  public var speedLimit: Double?
  /// Time that the limit must be exceeded.
  public var speedDuration = Duration.seconds(10)
  /// Time with ignition on and without displacement that counts as idling; nil if off.
  public var idlingDelay: Duration?
  /// Time in motion that ends idling.
  public var idlingEnd = Duration.seconds(5)
  /// Time with ignition off after which motion counts as a tow; nil if off.
  public var towDelay: Duration?
  /// Time that the motion must last.
  public var towDuration = Duration.seconds(60)

  public init() {}
}
