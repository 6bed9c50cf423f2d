import Quantities

/// Whether a chip on a bus answers, and when it is asked again after a failure.
///
/// A failed call is tried twice more, shortly after; then the chip counts as lost, which is said once, and is looked
/// for with growing pauses until it is back.
public struct ChipAttendance: Equatable, Sendable {
  /// Retries of a failed call…
  public static let retries = 2
  /// …each after this, which lets a bus that was disturbed come to rest.
  public static let retryPause = Duration.milliseconds(20)
  public static let firstSearchPause = Duration.seconds(5)
  public static let longestSearchPause = Duration.seconds(300)

  public enum Notice: Equatable, Sendable {
    case lost(ChipError)
    case returned(after: Duration)
  }

  private enum Phase: Equatable {
    /// Not called yet, or all is well.
    case attending
    case retrying(count: Int, at: Moment)
    case lost(since: Moment, search: Moment, pause: Duration)
  }

  private var phase = Phase.attending
  /// Calls that failed since the start, retries too.
  public private(set) var failures = 0

  public init() {}

  /// Said to be lost and not back yet. It may have been without supply: it is set up anew before the next call.
  public var isLost: Bool {
    guard case .lost = phase else { return false }
    return true
  }

  /// When to call again because of a failure; nil while all is well.
  public var nextTimeout: Moment? {
    switch phase {
    case .attending: nil
    case .retrying(_, let at): at
    case .lost(_, let search, _): search
    }
  }

  public mutating func succeeded(now: Moment) -> Notice? {
    defer { phase = .attending }
    guard case .lost(let since, _, _) = phase else { return nil }
    return .returned(after: now - since)
  }

  public mutating func failed(_ error: ChipError, now: Moment) -> Notice? {
    failures &+= 1
    switch phase {
    case .attending:
      phase = .retrying(count: 1, at: now + Self.retryPause)
    case .retrying(let count, _) where count < Self.retries:
      phase = .retrying(count: count + 1, at: now + Self.retryPause)
    case .retrying:
      phase = .lost(since: now, search: now + Self.firstSearchPause, pause: Self.firstSearchPause)
      return .lost(error)
    case .lost(let since, _, let pause):
      let next = min(pause + pause, Self.longestSearchPause)
      phase = .lost(since: since, search: now + next, pause: next)
    }
    return nil
  }
}
