import Energy
import History
import LocalAPI
import Quantities

/// What the schedule did with the receiver since the start of the logger.
struct ReceiverCounts {
  /// The number of times that the receiver was switched on or woken.
  private(set) var starts: Int64 = 0
  /// The number of acquisitions that ended without a fix.
  private(set) var failures: Int64 = 0
  private var state: ReceiverState?
  /// The reports of gpsd over earlier connections.
  private var earlierReports: Int64 = 0

  mutating func bring(to next: ReceiverState) {
    if next.isPowered, state?.isPowered != true { starts += 1 }
    if state == .searching, !next.isPowered { failures += 1 }
    state = next
  }

  /// A connection to gpsd has ended after this many reports.
  mutating func end(reports: Int64?) { earlierReports += max(reports ?? 0, 0) }

  /// The frames, or reports of gpsd, if the present source has given `count`.
  func frames(now count: Int64) -> Int64 { earlierReports + max(count, 0) }
}

/// The states into which the schedule brought the receiver, in order and counted.
struct ScheduledStates {
  private(set) var states = ReceiverStateRing()
  var counts = ReceiverCounts()

  mutating func bring(to next: ReceiverState, now: Moment) {
    counts.bring(to: next)
    states.record(ReportedReceiverState(next), now: now)
  }
}
