extension StatusReport {
  /// How sparing the box is with its battery.
  public struct Power: Codable, Equatable, Sendable {
    /// normal, low or critical.
    public var level: String
    /// Why, in words for people.
    public var reason: String
    /// At the rate of late; absent without a gauge, the battery's capacity, or some hours of logging.
    public var days_left: Days?
    /// At the supply, of late.
    public var draws_mAh_day: Double?
    /// ISO 8601 in UTC; absent where the battery need not last until a date.
    public var last_until: String?
    /// How many times more seldom than set positions are taken.
    public var stretch: Double?
    /// How it stands to the date, in words for people.
    public var budget: String?

    public struct Days: Codable, Equatable, Sendable {
      public var fewest: Double
      public var likeliest: Double
      public var most: Double
      /// If positions were taken as seldom as can be.
      public var most_if_sampled_least: Double

      public init(fewest: Double, likeliest: Double, most: Double, most_if_sampled_least: Double) {
        self.fewest = fewest
        self.likeliest = likeliest
        self.most = most
        self.most_if_sampled_least = most_if_sampled_least
      }
    }

    public init(level: String, reason: String) {
      self.level = level
      self.reason = reason
    }
  }
}
