import Quantities

/// What one server may request of the device within an hour. Each request may cost a start of the receiver.
public struct HourlyLimit: Equatable, Sendable {
  /// The most requests that are admitted within an hour.
  public static let most = 12
  private static let hour = Duration.seconds(3600)

  private let pause: Duration
  /// The requests admitted within the last hour, oldest first.
  private var admitted: [Moment] = []

  /// Creates a limit with the shortest time between two requests.
  public init(pause: Duration = .zero) { self.pause = pause }

  /// Returns true, and counts the request, if it is within the limit.
  public mutating func admits(_ now: Moment) -> Bool {
    admitted.removeAll { now - $0 >= Self.hour }
    let isEarly = admitted.last.map { now - $0 < pause } ?? false
    guard !isEarly, admitted.count < Self.most else { return false }
    admitted.append(now)
    return true
  }
}
