/// A sleep inhibitor: a condition that keeps the host awake.
public enum HostSleepInhibitor: String, Sendable, CaseIterable {
  /// Motion should wake the host and cannot.
  case motionCannotWake
  case fed
  case receiver
  /// The receiver sends the epochs that it has stored.
  case storedEpochs
  case motion
  case trip
  case sending
  case radio
  case notification
  case storage
  /// The local API is in use.
  case visitor

  /// True if the condition ends by itself within seconds, so that a sleep in preparation waits for it.
  var isPassing: Bool {
    switch self {
    case .storedEpochs, .sending, .radio, .notification, .storage: true
    case .motionCannotWake, .fed, .receiver, .motion, .trip, .visitor: false
    }
  }

  /// The condition as a clause for people.
  public var text: String {
    switch self {
    case .motionCannotWake:
      "a motion sensor starts recording and cannot wake the host; see host.wakes_on_motion"
    case .fed: "external supply; see host.while_fed"
    case .receiver: "the receiver is on"
    case .storedEpochs: "the receiver is sending the epochs that it has stored"
    case .motion: "the device is moving"
    case .trip: "a trip is in progress"
    case .sending: "an upload is in progress"
    case .radio: "the radio is on"
    case .notification: "notifications are in progress"
    case .storage: "the log is not ready"
    case .visitor: "the local API is in use"
    }
  }
}
