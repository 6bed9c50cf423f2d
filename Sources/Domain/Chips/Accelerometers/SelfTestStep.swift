/// Progress or result of a self-test.
public enum SelfTestStep: Hashable, Sendable {
  /// Requests another call after this delay.
  case wait(Duration)
  case passed
  /// The response to the test force on each axis in g, and its limits.
  case failed(change: Acceleration, limits: SelfTestLimits)
  /// The chip has no self-test.
  case notBuiltIn
}
