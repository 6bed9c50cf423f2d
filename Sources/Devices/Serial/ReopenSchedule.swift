import Quantities

/// When a port that went away is tried again: soon at first, then with growing pauses, never later than 15 s.
public struct ReopenSchedule: Equatable, Sendable {
  static let first = Duration.milliseconds(500)
  static let longest = Duration.seconds(15)

  private var pause = ReopenSchedule.first

  public init() {}

  /// The pause before the next attempt; it doubles with each call.
  public mutating func next() -> Duration {
    defer { pause = min(pause * 2, Self.longest) }
    return pause
  }

  /// The port is open: the next trouble starts with a short pause again.
  public mutating func succeeded() { pause = Self.first }
}
