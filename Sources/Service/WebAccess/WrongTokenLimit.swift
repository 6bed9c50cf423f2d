import Quantities

/// Limits how often wrong tokens may be presented, for all clients together: ten, then one every six seconds.
public struct WrongTokenLimit: Equatable, Sendable {
  /// The number of wrong tokens without a pause.
  public static let burst = 10
  /// The time after which one more is permitted.
  public static let interval = Duration.seconds(6)

  /// The time at which all tokens are permitted again; the past while none was wrong.
  private var fullAt: Moment?
  private var refused = 0

  public init() {}

  /// Returns the time to wait before the next token is checked; nil if one may be checked now.
  public func wait(now: Moment) -> Duration? {
    guard let fullAt else { return nil }
    let open = fullAt - now - Self.interval * (Self.burst - 1)
    return open > .zero ? open : nil
  }

  /// Counts a wrong token. Returns their number if it is the one that exhausts the limit, else nil.
  public mutating func add(now: Moment) -> Int? {
    let wasFull = fullAt.map { $0 <= now } ?? true
    if wasFull { refused = 0 }
    fullAt = max(fullAt ?? now, now) + Self.interval
    refused += 1
    return refused == Self.burst ? refused : nil
  }
}
