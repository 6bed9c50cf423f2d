extension StatusReport {
  /// The radio, where the logger switches it.
  public struct Network: Codable, Equatable, Sendable {
    /// up, down or switching.
    public var state: String
    /// How often it was switched on since the start.
    public var sessions: Int
    /// Switchings that failed.
    public var failures: Int

    public init(state: String, sessions: Int, failures: Int) {
      self.state = state
      self.sessions = sessions
      self.failures = failures
    }
  }
}
