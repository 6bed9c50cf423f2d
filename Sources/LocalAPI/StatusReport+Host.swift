extension StatusReport {
  /// The host, where the logger puts it down.
  public struct Host: Codable, Equatable, Sendable {
    /// up, or going down.
    public var state: String
    /// What keeps it up, in words for people.
    public var reason: String
    /// How often it was down and came back since the start of the logger.
    public var sleeps: Int
    public var slept_s: Double
    /// How often it was to go down and did not.
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
