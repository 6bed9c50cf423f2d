import Quantities

/// The durations of the turns of a loop: what is called between two waits. Time in suspend does not count.
public struct TurnTimes: Equatable, Sendable {
  /// The duration from which a turn is slow: a receiver at 115,200 baud fills the kernel's buffer of 4 KiB in 0.35 s.
  public static let slow = Duration.milliseconds(100)

  /// The longest turn since the loop started.
  public private(set) var longest = Duration.zero
  /// The end of the longest turn; nil before the first one.
  public private(set) var longestEnd: Moment?
  /// The number of slow turns.
  public private(set) var slowCount = 0
  /// The total time in suspend at the last look.
  private var suspended: Duration

  init(suspended: Duration) { self.suspended = suspended }

  /// Takes the times of a turn. `total` reads the total time in suspend; it is called for a slow turn only.
  mutating func handle(from start: Moment, to end: Moment, suspended total: () -> Duration) {
    var duration = end - start
    guard duration > longest || duration >= Self.slow else { return }
    if duration >= Self.slow {
      let now = total()
      let since = now - suspended
      suspended = now
      // A longer suspend was not within this turn.
      if since <= duration { duration -= since }
      if duration >= Self.slow { slowCount += 1 }
    }
    guard duration > longest else { return }
    (longest, longestEnd) = (duration, end)
  }
}
