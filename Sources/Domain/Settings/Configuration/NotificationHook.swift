/// The program, unit or URL that is called with an event.
public enum NotificationHook: Equatable, Sendable {
  /// The absolute path of a program, or a unit.
  case command(String)
  /// A URL to which the event is posted.
  case url(Endpoint)
}

extension NotificationHook: CustomStringConvertible {
  public var description: String {
    switch self {
    case .command(let path): path
    case .url(let endpoint): endpoint.description
    }
  }
}
