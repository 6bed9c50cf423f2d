import Quantities

/// The stationary period of the device: since when, at which position, and when that position is checked next.
///
/// The intervals of the position checks double. A hint advances a check, at most every ``pauseBetweenHints``.
///
/// A location that is known without the receiver replaces the first fix after a start, the fix of an arrival and a
/// position check, and the receiver remains asleep. It never replaces fixes while moving or requested positions: motion
/// is decided by the usual sources. A receiver that has a fix keeps it. Owned by ``ReceiverSchedule``.
struct StationaryPeriod: Equatable, Sendable {
  /// Shortest time between two position checks made for hints.
  private static let pauseBetweenHints = Duration.seconds(300)
  /// Longest stop at level S after which a departure requires no separate fix.
  private static let shortStop = Duration.seconds(280)
  /// Longest sleep for which a receiver is kept ready for a hot start.
  private static let readyFor = Duration.seconds(2 * 3600)

  /// A reading of 36 s every 100 minutes against 23 s for each warm start: it pays up to about an hour.
  private static let oftenEnough = Duration.seconds(3600)

  /// Start of the period; nil from a departure to the next sleep.
  private(set) var since: Moment?
  /// True if the last record is the present stationary position.
  private(set) var isPositionRecorded = false
  /// The location of a stationary device, known without the receiver; nil if only the receiver can provide it.
  private(set) var knownPosition: Coordinate?
  /// The interval to the next position check; nil before the first.
  private var checkInterval: Duration?
  /// The last position check caused by a hint.
  private var lastHintCheck: Moment?

  init(knownPosition: Coordinate?) { self.knownPosition = knownPosition }

  // MARK: The period

  /// Ends the period.
  mutating func departed() {
    since = nil
    checkInterval = nil
    isPositionRecorded = false
  }

  /// Records if the last record shows the stationary position.
  mutating func setPositionRecorded(_ isRecorded: Bool) { isPositionRecorded = isRecorded }

  /// Processes a location from another source than the receiver; nil if it is no longer known.
  mutating func know(_ position: Coordinate?) { knownPosition = position }

  /// True if the stop is so short that a departure requires no separate fix. It began when the motion sources fell silent:
  /// a pause delay is a part of it.
  func isShortStop(quietSince: Moment?, now: Moment) -> Bool {
    since.map { now - min($0, quietSince ?? $0) < Self.shortStop } ?? false
  }

  /// True if the period is so long that the speed before it means nothing.
  func outlastsSpeed(now: Moment) -> Bool { since.map { now - $0 > Self.shortStop } ?? false }

  /// True if the next departure is likely soon enough to keep the receiver ready for a hot start.
  func keepsReceiverReady(now: Moment) -> Bool { since.map { now - $0 < Self.readyFor } ?? true }

  /// Continues the period of an earlier run, which has lasted for `time`, with the interval after its next position check.
  mutating func resume(after time: Duration, interval: Duration?, now: Moment) {
    since = now - time
    checkInterval = interval
  }

  /// The interval after the next position check; nil before the first.
  var intervalAfterCheck: Duration? { checkInterval }

  /// True if position checks stay so frequent that reading ephemerides costs less than the warm starts that it saves.
  var checksOften: Bool { checkInterval.map { $0 <= Self.oftenEnough } ?? false }

  // MARK: Position checks

  /// Continues the period, or starts it if there is none or the device has just arrived. Returns the time of the next
  /// position check; nil if the policy does not sleep while stationary. The interval after it is twice as long.
  mutating func nextCheck(_ policy: TrackingPolicy, hasArrived: Bool, hasMotionSensor: Bool, now: Moment)
    -> Moment?
  {
    guard case .asleep(let check, let longest, _) = policy.stationary else { return nil }
    if hasArrived || since == nil {
      since = now
      checkInterval = nil
    }
    let limit = longestInterval(policy, hasMotionSensor: hasMotionSensor)
    let interval = limit.map { min(check, $0) } ?? checkInterval ?? check
    checkInterval = min(interval + interval, longest)
    return now + interval
  }

  /// The latest time of the next position check under a changed policy; nil if it does not sleep while stationary.
  mutating func nextCheck(_ policy: TrackingPolicy, hasMotionSensor: Bool, now: Moment) -> Moment? {
    guard case .asleep(let check, let longest, _) = policy.stationary else { return nil }
    let limit = longestInterval(policy, hasMotionSensor: hasMotionSensor)
    let interval = checkInterval == nil ? check : longest
    checkInterval = checkInterval ?? min(check + check, longest)
    return now + (limit.map { min(interval, $0) } ?? interval)
  }

  /// The longest interval if the receiver has to detect motion itself; nil otherwise.
  private func longestInterval(_ policy: TrackingPolicy, hasMotionSensor: Bool) -> Duration? {
    hasMotionSensor || knownPosition != nil ? nil : policy.checkIntervalWithoutSensor
  }

  /// Keeps the interval of the position checks under a new policy, unless the checks become more frequent.
  mutating func adopt(_ new: TrackingPolicy, after old: TrackingPolicy) {
    guard case .asleep(let before, _, _) = old.stationary,
      case .asleep(let check, let longest, _) = new.stationary,
      let interval = checkInterval
    else { return }
    checkInterval = check < before ? nil : min(max(interval, check), longest)
  }

  /// Records a position check caused by a hint.
  mutating func checkedForHint(now: Moment) { lastHintCheck = now }

  /// True if a hint may cause a position check now.
  func mayCheckForHint(now: Moment) -> Bool { nextHintCheck.map { now >= $0 } ?? true }

  /// The earliest time of the next position check for a hint; nil before the first.
  var nextHintCheck: Moment? { lastHintCheck.map { $0 + Self.pauseBetweenHints } }
}
