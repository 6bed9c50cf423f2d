/// The program, unit or URL that is called with an event.
public enum NotificationHook: Equatable, Sendable {
  /// The absolute path of a program, or a unit.
  case command(String)
  /// A URL to which the event is posted.
  case url(Endpoint)
}

extension Configuration {
  /// The programs and units of `notifications`.
  public var notificationPrograms: [String] {
    notifications.compactMap { if case .command(let path) = $0.to { path } else { nil } }
  }
}

extension NotificationHook: CustomStringConvertible {
  public var description: String {
    switch self {
    case .command(let path): path
    case .url(let endpoint): endpoint.description
    }
  }
}
