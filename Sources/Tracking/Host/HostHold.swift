/// What keeps a host up.
public enum HostHold: String, Sendable, CaseIterable {
  /// Motion must wake it and cannot.
  case deafToMotion
  case fed
  case receiver
  case motion
  case trip
  case sending
  case radio
  case notification
  case storage
  case trial
  /// Somebody uses the local API.
  case visitor

  /// It ends by itself within seconds, and going down waits for it.
  var isPassing: Bool {
    switch self {
    case .sending, .radio, .notification, .storage: true
    case .deafToMotion, .fed, .receiver, .motion, .trip, .trial, .visitor: false
    }
  }

  /// For people.
  public var words: String {
    switch self {
    case .deafToMotion:
      "motion begins records here and cannot wake the host: see host.wakes_on_motion"
    case .fed: "it is fed from outside: see host.while_fed"
    case .receiver: "the receiver is at work"
    case .motion: "the box moves"
    case .trip: "a trip runs"
    case .sending: "records are being sent"
    case .radio: "the radio is up"
    case .notification: "notifications are under way"
    case .storage: "the log is not ready"
    case .trial: "a server's settings are on trial"
    case .visitor: "somebody asks the local API"
    }
  }
}
