import Quantities

/// Which ways of driving, and of being moved without a driver, become events.
public struct DrivingRules: Equatable, Sendable {
  /// m/s; nil tells no overspeed.
  public var speedLimit: Double?
  /// So long the limit must be exceeded.
  public var speedDuration = Duration.seconds(10)
  /// So long the ignition must be on without displacement; nil tells no idling.
  public var idlingDelay: Duration?
  /// So long the vehicle must move until idling is over.
  public var idlingEnd = Duration.seconds(5)
  /// So long the ignition must be off before motion is a tow; nil tells none.
  public var towDelay: Duration?
  /// So long it must move then.
  public var towDuration = Duration.seconds(60)

  public init() {}
}
