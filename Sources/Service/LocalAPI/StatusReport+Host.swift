extension StatusReport {
  /// The host, if the logger puts it to sleep.
  public struct Host: Codable, Equatable, Sendable {
    /// The state: up, or going down.
    public var state: String
    /// The sleep inhibitor, as text.
    public var reason: String
    /// The number of completed sleeps since the start of the logger.
    public var sleeps: Int
    /// The total time asleep.
    public var slept_s: Double
    /// The number of failed attempts to sleep.
    public var failures: Int

    public init(state: String, reason: String, sleeps: Int, slept_s: Double, failures: Int) {
      self.state = state
      self.reason = reason
      self.sleeps = sleeps
      self.slept_s = slept_s
      self.failures = failures
    }
  }
}
