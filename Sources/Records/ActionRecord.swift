import Quantities

/// Something that the logger did, at the place of the last fix: Overland's records of the life of the app.
public struct ActionRecord: Equatable, Sendable {
  /// The protocol's words.
  public enum Action: String, Sendable, CaseIterable {
    case pausedLocationUpdates = "paused_location_updates"
    case resumedLocationUpdates = "resumed_location_updates"
    case exitedPauseRegion = "exited_pause_region"
    case applicationLaunchedWithLocation = "application_launched_with_location"
    case willTerminate = "will_terminate"
  }

  public var action: Action
  /// The last fix. There is no such record before the first one: a server that gets one without a place never gets
  /// over it.
  public var coordinate: Coordinate
  public var device: DeviceState

  public init(_ action: Action, at coordinate: Coordinate, device: DeviceState) {
    self.action = action
    self.coordinate = coordinate
    self.device = device
  }
}
