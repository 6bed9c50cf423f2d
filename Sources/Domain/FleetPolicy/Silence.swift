import Quantities

/// The state of contact of a device; the view `fleet.device` has the same rule.
public enum ContactState: String, CaseIterable, Equatable, Sendable {
  case ok, due, silent, never, disabled

  /// Without a schedule of its own, a device is due a day after its last contact.
  public static let usualInterval = Duration.seconds(86_400)
  /// The shortest time after which a device that is due counts as silent.
  public static let shortestPatience = Duration.seconds(900)

  /// Judges by the last contact and the latest time of the next one, as the device announced it.
  public init(isEnabled: Bool, lastSeen: Timestamp?, nextContact: Timestamp?, now: Timestamp) {
    guard isEnabled else {
      self = .disabled
      return
    }
    guard let lastSeen else {
      self = .never
      return
    }
    let due = nextContact ?? lastSeen + Self.usualInterval
    let silent = due + max(Self.shortestPatience, (due - lastSeen) / 2)
    self = now > silent ? .silent : now > due ? .due : .ok
  }
}
