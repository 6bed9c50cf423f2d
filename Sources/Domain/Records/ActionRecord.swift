import Quantities

/// A change of the tracking state, at the position of the last fix, as Overland records it.
public struct ActionRecord: Equatable, Sendable {
  /// The actions; the raw values are those of the Overland protocol.
  public enum Action: String, Sendable, CaseIterable {
    case pausedLocationUpdates = "paused_location_updates"
    case resumedLocationUpdates = "resumed_location_updates"
    case exitedPauseRegion = "exited_pause_region"
    case applicationLaunchedWithLocation = "application_launched_with_location"
    case willTerminate = "will_terminate"
  }

  public var action: Action
  /// The position of the last fix. Before the first fix no action is recorded, because servers cannot process an action
  /// without a position.
  public var coordinate: Coordinate
  public var device: DeviceState

  public init(_ action: Action, at coordinate: Coordinate, device: DeviceState) {
    self.action = action
    self.coordinate = coordinate
    self.device = device
  }
}
