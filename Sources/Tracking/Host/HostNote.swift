import Quantities
import Settings

/// What a logger that goes down tells the one that starts after it.
public struct HostNote: Equatable, Sendable {
  /// The boot that it went down in.
  public var boot: String
  public var depth: HostDepth
  public var planned: Duration
  /// Seconds that the clock chip showed; nil without one.
  public var clockChip: Int64?

  public init(boot: String, depth: HostDepth, planned: Duration, clockChip: Int64?) {
    self.boot = boot
    self.depth = depth
    self.planned = planned
    self.clockChip = clockChip
  }

  /// Five words; ``init(text:)`` reads them.
  public var text: String {
    "1 \(depth.rawValue) \(planned.wholeSeconds) \(clockChip.map(String.init) ?? "-") \(boot)"
  }

  /// Nil for any other text.
  public init?(text: String) {
    let words = text.split(separator: " ")
    guard words.count == 5, words[0] == "1", let depth = HostDepth(rawValue: String(words[1])),
      let planned = Int32(words[2]), planned >= 0
    else { return nil }
    self.init(
      boot: String(words[4]), depth: depth, planned: .seconds(planned), clockChip: Int64(words[3]))
  }

  /// What has become of it by the start of another boot, in which the kernel has run for `uptime`; nil in the same one.
  /// A clock that was set meanwhile says nothing.
  public func waking(boot: String, uptime: Duration, clockChip now: Int64?) -> HostWaking? {
    guard boot != self.boot else { return nil }
    var slept: Duration?
    if let now, let clockChip {
      let (seconds, overflow) = now.subtractingReportingOverflow(clockChip)
      if !overflow, (0...Self.longest).contains(seconds) { slept = max(.seconds(seconds) - uptime, .zero) }
    }
    return HostWaking(slept: slept, planned: planned)
  }

  /// Seconds of ten years: more is a clock that was set.
  private static let longest: Int64 = 315_360_000
}
