/// What is called with an event.
public enum NotificationHook: Equatable, Sendable {
  /// A program by its absolute path.
  case command(String)
  /// A URL that the event is posted to.
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
