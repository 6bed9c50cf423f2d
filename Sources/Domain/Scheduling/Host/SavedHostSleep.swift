import Quantities

/// The message that the logger leaves in the log before the host sleeps. The logger started after it computes the
/// time asleep.
public struct SavedHostSleep: Equatable, Sendable {
  /// The boot in which the host went to sleep.
  public var boot: String
  public var depth: HostDepth
  /// The scheduled time asleep.
  public var planned: Duration
  /// Seconds of the clock chip at that time; nil without a clock chip.
  public var clockChip: Int64?

  public init(boot: String, depth: HostDepth, planned: Duration, clockChip: Int64?) {
    self.boot = boot
    self.depth = depth
    self.planned = planned
    self.clockChip = clockChip
  }

  /// The stored form: five words separated by spaces, read by ``init(text:)``.
  public var text: String {
    "1 \(depth.rawValue) \(planned.wholeSeconds) \(clockChip.map(String.init) ?? "-") \(boot)"
  }

  /// Parses a text; nil for any other.
  public init?(text: String) {
    let words = text.split(separator: " ")
    guard words.count == 5, words[0] == "1", let depth = HostDepth(rawValue: String(words[1])),
      let planned = Int32(words[2]), planned >= 0
    else { return nil }
    self.init(
      boot: String(words[4]), depth: depth, planned: .seconds(planned), clockChip: Int64(words[3]))
  }

  /// The result for a logger in another boot whose kernel has run for `uptime`; nil in the same boot. The time asleep
  /// is unknown if the clock chip was set in between. `reason` is what a power manager states.
  public func waking(
    boot: String, uptime: Duration, clockChip now: Int64?, reason: StartReason? = nil
  ) -> HostWaking? {
    guard boot != self.boot else { return nil }
    var slept: Duration?
    if let now, let clockChip {
      let (seconds, overflow) = now.subtractingReportingOverflow(clockChip)
      if !overflow, (0...Self.longest).contains(seconds) { slept = max(.seconds(seconds) - uptime, .zero) }
    }
    return HostWaking(slept: slept, planned: planned, reason: reason)
  }

  /// Longest plausible sleep: ten years in seconds. A longer one means that the clock was set.
  private static let longest: Int64 = 315_360_000
}
