extension StatusReport {
  /// How sparing the box is with its battery.
  public struct Power: Codable, Equatable, Sendable {
    /// normal, low or critical.
    public var level: String
    /// Why, in words for people.
    public var reason: String

    public init(level: String, reason: String) {
      self.level = level
      self.reason = reason
    }
  }
}
