import Quantities

/// Notices when a line that spoke falls silent, on the boot clock.
public struct LineHealth: Equatable, Sendable {
  public enum Change: Equatable, Sendable {
    case silent(since: Moment)
    case speaking
  }

  /// Longer than the slowest usual output interval (10 s).
  static let patience = Duration.seconds(30)

  private var lastHeard: Moment
  private var isSilent = false

  public init(now: Moment) { lastHeard = now }

  /// When silence becomes worth a word; nil while it has been said.
  public var nextTimeout: Moment? { isSilent ? nil : lastHeard + Self.patience }

  public mutating func heard(now: Moment) -> Change? {
    lastHeard = now
    guard isSilent else { return nil }
    isSilent = false
    return .speaking
  }

  public mutating func handleTimeout(now: Moment) -> Change? {
    guard let nextTimeout, now >= nextTimeout else { return nil }
    isSilent = true
    return .silent(since: lastHeard)
  }
}
