/// The subject area of a kind of event, by which people choose what they are notified of. The raw values are settings.
public enum EventGroup: String, Sendable, CaseIterable {
  case trips
  /// Visits are records of their own; no event belongs to this group.
  case visits
  case zones
  /// Motion, ignition, the automatic pause, parking and towing.
  case motion
  /// Harsh driving, overspeed and idling.
  case driving
  /// Battery, supply, power level and the sleep of the host.
  case power
  case receiver
  case clock
  case storage
  /// Destinations, network and notifications.
  case delivery
  /// The logger itself: starts, settings, updates and access.
  case settings
}

/// A condition that lasts from one event to another, so that a notification is due at its start and at its end.
public enum EventFault: Hashable, Sendable, CaseIterable {
  /// The receiver gives no usable data, for whatever reason.
  case receiver
  case gauge
  case accelerometer
  /// The log cannot be written.
  case storage
  /// The medium of the log is nearly full.
  case room
  /// Commits take very long.
  case commits
  /// A destination accepts no records.
  case delivery
  /// The queue of a destination is long.
  case backlog
  /// The network cannot be switched.
  case network

  /// The part of a kind of event in a fault.
  public enum Phase: Equatable, Sendable {
    case begins(EventFault)
    /// A step during the fault, which is no news of its own.
    case continues(EventFault)
    case ends(EventFault)
  }
}
