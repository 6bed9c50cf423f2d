import Quantities

/// What the tracker needs to know of the operator's wishes.
public struct TrackerSettings: Equatable, Sendable {
  /// False with `tracking_mode: "off"`: fixes are looked at and nothing is kept.
  public var keepsLocations = true
  public var thinning = Thinning()
  /// The name written into each record.
  public var deviceID: String
  /// What feeds the box where no gauge tells.
  public var supply = Supply.external

  /// What feeds the box.
  public enum Supply: Equatable, Sendable {
    /// Mains or a vehicle: reported as full.
    case external
    /// A battery nobody measures: reported as unknown.
    case battery
  }

  public init(deviceID: String) { self.deviceID = deviceID }
}
