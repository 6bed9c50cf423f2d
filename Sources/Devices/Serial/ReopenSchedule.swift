import Quantities

/// When a port or a connection that went away is tried again: soon at first, then with growing pauses, never later
/// than 15 s.
///
/// The pauses go on growing where what was opened goes away again soon, so that a loose cable is neither reopened
/// nor talked about every second.
public struct ReopenSchedule: Equatable, Sendable {
  static let first = Duration.milliseconds(500)
  static let longest = Duration.seconds(15)
  /// What has held for so long is well: its next trouble starts with a short pause.
  static let steady = Duration.seconds(10)

  private var pause = ReopenSchedule.first
  private var heldSince: Moment?

  public init() {}

  /// Something was heard through what is open. Counts from the first call after ``next(now:)``.
  public mutating func heard(now: Moment) {
    if heldSince == nil { heldSince = now }
  }

  /// It is gone or could not be opened. Answers with the pause before the next attempt, which doubles with each call
  /// until something has held.
  public mutating func next(now: Moment) -> Duration {
    if let heldSince, now - heldSince >= Self.steady { pause = Self.first }
    heldSince = nil
    defer { pause = min(pause * 2, Self.longest) }
    return pause
  }
}
