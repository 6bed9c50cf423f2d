import Quantities

/// The clock by which uploads wait for the database: it advances by a step whenever the loop has looked at them.
///
/// While the loop does other work, such as reading a large body, it does not see the answers of the database. That
/// counts as one step at most, however long it takes: the database is not to blame for it.
public struct WaitingClock: Equatable, Sendable {
  /// The interval at which the loop looks at the uploads.
  public static let step = Duration.milliseconds(500)

  /// The time since the first look.
  public private(set) var time = Duration.zero

  public init() {}

  /// The loop looks at the uploads.
  public mutating func advance() { time += Self.step }
}
