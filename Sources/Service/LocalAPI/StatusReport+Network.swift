extension StatusReport {
  /// The network, if the logger switches the radio.
  public struct Network: Codable, Equatable, Sendable {
    /// The state: up, down or switching.
    public var state: String
    /// The number of radio sessions since the start.
    public var sessions: Int
    /// The number of failed switching attempts.
    public var failures: Int

    public init(state: String, sessions: Int, failures: Int) {
      self.state = state
      self.sessions = sessions
      self.failures = failures
    }
  }
}
