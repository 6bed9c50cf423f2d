import GNSSProtocol
import Quantities

/// The last epoch of the receiver and the start of a period without a fix.
struct FixHistory: Sendable {
  /// The last epoch.
  private(set) var last: (kind: FixKind, used: Int?, seen: Int?, hdop: Double?, moment: Moment)?
  /// True if the last epoch had a fix.
  var hasFix: Bool { last.map { $0.kind != .none } ?? false }
  /// The last epoch with a fix; nil before the first.
  private(set) var lastFix: Moment?
  /// The last epoch at which a fix began or was lost.
  private(set) var changed: Moment?
  /// The first epoch without a fix since then, or since the start; nil while there is a fix.
  private var lost: Moment?

  /// Processes the fix of an epoch.
  mutating func take(_ fix: Fix, now: Moment) {
    if last.map({ ($0.kind == .none) != (fix.kind == .none) }) ?? true { changed = now }
    last = (
      fix.kind, fix.satellitesUsed.map(Int.init), fix.satellitesSeen.map(Int.init), fix.horizontalDilution,
      now
    )
    if fix.kind == .none {
      lost = lost ?? now
    } else {
      (lastFix, lost) = (now, nil)
    }
  }

  /// The time without a fix: since the last one, or since the first epoch. Nil while there is a fix, and before the first
  /// epoch.
  func timeWithoutFix(now: Moment) -> Duration? {
    guard let lost else { return nil }
    return max(now - (lastFix ?? lost), .zero)
  }
}
