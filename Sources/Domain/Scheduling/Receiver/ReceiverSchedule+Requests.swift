import Energy
import Quantities

/// Handles requested positions.
///
/// A request is added to the wake reason of a start and never replaces it. The receiver wakes for its next scheduled
/// reason: a position check, the next fix while moving, or the first fix. Timeout, back-off and what follows are
/// those of that reason. Only these differ during a request:
///
/// - The start ends with a fix of the policy's accuracy, and that fix is recorded, by the wake reason or in addition.
/// - The search continues for the request if its reason disappears: a false wake-up, a policy without locations, the
///   end of a trip.
/// - The request ends with a record, after the last failed search for now, or if no search begins within
///   ``longestRequestDelay``.
extension ReceiverSchedule {
  /// Longest delay of a search that serves the request.
  static let longestRequestDelay = Duration.seconds(180)

  package var isPositionRequested: Bool { requestDeadline != nil }

  mutating func requestPosition(now: Moment) -> [ReceiverScheduleAction] {
    requestDeadline = now + Self.longestRequestDelay
    switch phase {
    case .dormant: return wake(.check, now: now)
    case .asleep(let pause, _): return wake(pause.wakeReason, now: now)
    case .searching, .following: return []
    case .settling(let wakeReason, let settling):
      let accuracy = requiredAccuracy(for: wakeReason)
      guard accuracy < settling.accuracy else { return [] }
      unacceptableSince = nil
      phase = .settling(wakeReason, FixSettling(accuracy: accuracy))
      return []
    // The start for ephemerides required less accuracy.
    case .reading: return continueSearch(now: now)
    }
  }

  /// Continues the search for the request after the wake reason disappeared.
  mutating func continueSearch(now: Moment) -> [ReceiverScheduleAction] {
    sampling = nil
    unacceptableSince = nil
    switch phase {
    case .dormant, .asleep: return wake(.check, now: now)
    case .searching:
      phase = .searching(.check)
      search.began(inMotion: false, afterLoss: false, expecting: slowestStart(now), now: now)
      return [.receiver(.searching, until: search.nextTimeout)]
    case .settling, .following, .reading:
      phase = .settling(.check, FixSettling(accuracy: requiredAccuracy(for: .check)))
      return [.receiver(.settling, until: nil)]
    }
  }

  /// Records the settled fix for the request, unless it is recorded already.
  mutating func answering(_ fix: ScheduleFix, _ actions: [ReceiverScheduleAction]) -> [ReceiverScheduleAction]
  {
    isPositionRequested ? keep(fix, .requested) + actions : actions
  }

  /// Ends a request if the next search is too late for it.
  mutating func reviewRequest() {
    guard let limit = requestDeadline else { return }
    switch phase {
    case .dormant: requestDeadline = nil
    case .asleep(_, let until): if until.map({ $0 > limit }) ?? true { requestDeadline = nil }
    case .searching, .settling, .following, .reading: break
    }
  }

  // MARK: The time

  /// Makes one search for the time if no locations are required. A search for a request provides the time, too.
  mutating func searchForTime(now: Moment) -> [ReceiverScheduleAction] {
    guard policy == .off else { return [] }
    searchesForTime = true
    switch phase {
    case .dormant: return wake(.first, now: now)
    case .searching: phase = .searching(.first)
    case .settling(_, let settling): phase = .settling(.first, settling)
    case .asleep, .following, .reading: break
    }
    return []
  }

  /// Searches again for the time after a request got a fix that did not provide it.
  mutating func continueTimeSearch(now: Moment) -> [ReceiverScheduleAction] {
    requestDeadline = nil
    return wake(.first, now: now)
  }
}
