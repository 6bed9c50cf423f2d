import GNSSProtocol
import Quantities

/// Checks the times of the fixes against the monotonic clock.
///
/// Only fixes with a date are checked: before the first one, a receiver's clock may legitimately jump by
/// years.
struct TimeValidator: Equatable, Sendable {
  /// Largest allowed step back; a correction of the leap seconds moves the time by up to three seconds.
  static let backwards = Duration.seconds(3)
  /// Largest allowed step ahead; a busy host may have read late, after which the time seems to catch up.
  static let forwards = Duration.seconds(10)
  /// Drift of the boot clock: 1/5000 (200 ppm) at most, if it is not corrected.
  private static let drift: Int64 = 5000
  /// Number of epochs in order after which the time is correct again.
  static let steadyEpochs = 10

  private var last: Timestamp?
  private var lastMoment = Moment.zero
  /// UTC minus boot time of the epoch that was read with the least delay, in milliseconds.
  private var anchor: Int64 = 0
  private var inOrder = TimeValidator.steadyEpochs

  var isSteady: Bool { inOrder >= Self.steadyEpochs }

  mutating func restart() { last = nil }

  mutating func evaluate(_ fix: Fix, now: Moment) -> WatchEvidence? {
    guard fix.kind != .none, let time = fix.timestamp else { return nil }
    let offset = time.milliseconds &- now.nanoseconds / 1_000_000
    defer {
      last = time
      lastMoment = now
    }
    guard let last else {
      anchor = offset
      return nil
    }
    let allowed = anchor &- (now - lastMoment).wholeMilliseconds / Self.drift
    if last - time > Self.backwards {
      anchor = offset
      inOrder = 0
      return .timeFellBack(by: last - time)
    }
    let ahead = Timestamp(milliseconds: offset) - Timestamp(milliseconds: allowed)
    if ahead > Self.forwards {
      anchor = offset
      inOrder = 0
      return .timeJumped(by: ahead)
    }
    anchor = max(allowed, offset)
    if time > last { inOrder = min(inOrder + 1, Self.steadyEpochs) }
    return nil
  }
}
