/// Where a self-test stands.
public enum SelfTestStep: Hashable, Sendable {
  /// Call again after so long.
  case wait(Duration)
  case passed
  /// The change that the test force made on each axis, in g, and what it should be.
  case failed(change: Acceleration, limits: SelfTestLimits)
  /// The part has none.
  case notBuiltIn
}
