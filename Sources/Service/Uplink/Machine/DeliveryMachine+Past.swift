import Quantities

extension DeliveryMachine {
  /// The state that a machine passes to its successor for the same server: failures and back-off, nothing of the log.
  public struct Past: Equatable, Sendable {
    var failures: Int
    var lastRefusal: Refusal?
    var unconfirmedResponses: Int
    var backOff: RetryDelay
    /// The end of the server's `Retry-After`; nil if there is none.
    var retryAfterEnd: Moment?
  }

  /// The state for the next machine of the same server.
  public var past: Past {
    var asked: Moment?
    if case .posting = phase {
      // The running attempt has superseded `Retry-After`.
    } else if let lastAttempt {
      asked = lastRefusal?.retryAfter.map { lastAttempt + RetryDelay.limited($0) }
    }
    return Past(
      failures: failures, lastRefusal: lastRefusal, unconfirmedResponses: unconfirmedResponses,
      backOff: backOff,
      retryAfterEnd: asked ?? retryAfterEnd)
  }
}
