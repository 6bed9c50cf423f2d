import Quantities

/// The requests that the receiver serves besides its schedule: a position, and the time.
///
/// A requested position is added to the wake reason of a start and never replaces it. The receiver wakes for its next
/// scheduled reason: a position check, the next fix while moving, or the first fix. Timeout, back-off and what follows
/// are those of that reason. Only these differ during a request:
///
/// - The start ends with a fix of the policy's accuracy, and that fix is recorded, by the wake reason or in addition.
/// - The search continues for the request if its reason disappears: a false wake-up, a policy without locations, the
///   end of a trip.
/// - The request ends with a record, after the last failed search for now, or if no search begins within
///   ``longestDelay``.
///
/// Owned by ``ReceiverSchedule``.
struct PendingRequests: Equatable, Sendable {
  /// Longest delay of a search that serves a position request.
  private static let longestDelay = Duration.seconds(180)

  /// True while only the time is required. A fix that does not provide it does not count, except for a position request.
  private(set) var isTimeRequested = false
  /// The latest start of a search that serves the position request; nil if no position is requested.
  private var latestStart: Moment?
  /// End of the back-off after a failed search for a requested position while stationary.
  private var backOffUntil: Moment?

  var isPositionRequested: Bool { latestStart != nil }

  mutating func requestPosition(now: Moment) { latestStart = now + Self.longestDelay }

  /// Ends the position request, because its position is recorded or no longer required.
  mutating func endPosition() { latestStart = nil }

  mutating func requestTime() { isTimeRequested = true }

  /// Ends the time request, because the time is known or locations are required that provide it.
  mutating func endTime() { isTimeRequested = false }

  /// Starts the back-off after a failed search, if the search served a position request.
  mutating func failed(until: Moment) {
    if isPositionRequested { backOffUntil = until }
  }

  /// Ends the back-off at a fix.
  mutating func hasReception() { backOffUntil = nil }

  func isBackingOff(now: Moment) -> Bool { backOffUntil.map { now < $0 } ?? false }

  /// Ends the position request if the next search is too late for it.
  mutating func review(_ phase: ReceiverSchedulePhase) {
    guard let latestStart else { return }
    switch phase {
    case .dormant: endPosition()
    case .asleep(_, let until): if until > latestStart { endPosition() }
    case .searching, .settling, .following, .reading: break
    }
  }
}
