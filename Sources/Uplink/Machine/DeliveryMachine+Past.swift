import Quantities

extension DeliveryMachine {
  /// What a machine leaves to the next one for the same server: how it stands with that server, and nothing of the log.
  public struct Past: Equatable, Sendable {
    var failures: Int
    var lastRefusal: Refusal?
    var oddAnswers: Int
    var backOff: BackOff
    /// Nil where the server did not ask to be left alone.
    var heldUntil: Moment?
  }

  public var past: Past {
    var asked: Moment?
    if case .posting = phase {
      // What was asked was answered by another attempt.
    } else if let lastAttempt {
      asked = lastRefusal?.retryAfter.map { lastAttempt + BackOff.heeded($0) }
    }
    return Past(
      failures: failures, lastRefusal: lastRefusal, oddAnswers: oddAnswers, backOff: backOff,
      heldUntil: asked ?? heldUntil)
  }
}
