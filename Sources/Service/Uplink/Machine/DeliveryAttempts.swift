import Quantities

extension DeliveryMachine {
  /// The state that a machine passes to its successor for the same server: failures and back-off, nothing of the log.
  public struct Past: Equatable, Sendable {
    let failures: Int
    let lastRefusal: Refusal?
    let unconfirmedResponses: Int
    let backOff: RetryDelay
    /// The end of the server's `Retry-After`; nil if there is none.
    let retryAfterEnd: Moment?
    /// The last contact with the server; nil if there was none since the start.
    let lastContact: Moment?
    let outage: OutageReports
  }
}

/// The attempts to deliver to one server: the series of failures, the back-off, and the server's `Retry-After`.
struct DeliveryAttempts: Equatable, Sendable {
  /// The number of failed attempts since the last success.
  private(set) var failures = 0
  /// The reason of the last failure; nil after a success.
  private(set) var lastRefusal: Refusal?
  /// The number of responses that were accepted without a confirmation in the body.
  private(set) var unconfirmedResponses = 0
  /// The start of the last attempt; nil before the first.
  private(set) var last: Moment?
  /// The end of a `Retry-After` that an earlier machine received, or of the send interval before a sleep of the host; nil once a
  /// batch was posted.
  private var retryAfterEnd: Moment?
  private var backOff: RetryDelay
  private var outage: OutageReports

  init(seed: UInt64, past: DeliveryMachine.Past?) {
    backOff = past?.backOff ?? RetryDelay(seed: seed)
    outage = past?.outage ?? OutageReports()
    guard let past else { return }
    (failures, lastRefusal, unconfirmedResponses) = (
      past.failures, past.lastRefusal, past.unconfirmedResponses
    )
    retryAfterEnd = past.retryAfterEnd
  }

  /// Makes no attempt before this time, unless one is requested.
  mutating func postpone(until time: Moment) { retryAfterEnd = max(retryAfterEnd ?? .zero, time) }

  /// The state for the next machine of the same server. A running attempt has superseded `Retry-After`.
  func past(isAttempting: Bool, lastContact: Moment?) -> DeliveryMachine.Past {
    var asked: Moment?
    if !isAttempting, let last { asked = lastRefusal?.retryAfter.map { last + RetryDelay.limited($0) } }
    return DeliveryMachine.Past(
      failures: failures, lastRefusal: lastRefusal, unconfirmedResponses: unconfirmedResponses,
      backOff: backOff, retryAfterEnd: asked ?? retryAfterEnd, lastContact: lastContact, outage: outage)
  }

  /// The earliest time of the next attempt at this interval.
  func earliest(atInterval interval: Duration) -> Moment {
    max(last.map { $0 + interval } ?? .zero, retryAfterEnd ?? .zero)
  }

  /// True if the first attempt of this machine must wait.
  func isPostponed(now: Moment) -> Bool { retryAfterEnd.map { now < $0 } ?? false }

  /// True if the `Retry-After` of the last response has not ended.
  func isWithinRetryAfter(now: Moment) -> Bool {
    guard let asked = lastRefusal?.retryAfter, let last else { return false }
    return now < last + RetryDelay.limited(asked)
  }

  mutating func begin(now: Moment) { (last, retryAfterEnd) = (now, nil) }

  /// Ends the series of failures; returns the number of failed attempts of the outage if its end is to be reported.
  mutating func succeed(now: Moment) -> Int? {
    (lastRefusal, failures) = (nil, 0)
    backOff.reset()
    return outage.succeed(now: now)
  }

  /// Counts a response that was accepted without a confirmation; returns the number so far.
  mutating func countUnconfirmed() -> Int {
    unconfirmedResponses = min(unconfirmedResponses, Int.max - 1) + 1
    return unconfirmedResponses
  }

  /// Counts a failure; returns true if it is to be reported.
  mutating func fail(_ refusal: Refusal, now: Moment) -> Bool {
    failures = min(failures, Int.max - 1) + 1
    lastRefusal = refusal
    return outage.fail(isUnrouted: refusal.kind == .unrouted, now: now)
  }

  /// Returns the wait after one more failure.
  mutating func nextWait(retryAfter: Duration?) -> Duration { backOff.nextWait(retryAfter: retryAfter) }

  mutating func resetBackOff() { backOff.reset() }
}
