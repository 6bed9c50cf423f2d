/// The state of the modem or wireless network.
public enum RadioUse: Equatable, Sendable {
  case off
  /// On, but not sending.
  case idle
  case sending
}
