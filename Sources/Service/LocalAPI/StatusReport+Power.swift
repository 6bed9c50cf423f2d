extension StatusReport {
  /// The power level and the battery budget.
  public struct Power: Codable, Equatable, Sendable {
    /// The power level: normal, low or critical.
    public var level: String
    /// The reason for the level, as text.
    public var reason: String
    /// The forecast at the recent rate; absent without fuel gauge, battery capacity, or some hours of logging.
    public var days_left: Days?
    /// The recent charge per day at the supply.
    public var draws_mAh_day: Double?
    /// The battery target, ISO 8601 in UTC; absent if none is set.
    public var last_until: String?
    /// The factor by which fixes are fewer than configured.
    public var stretch: Double?
    /// The state of the battery target, as text.
    public var budget: String?

    /// The remaining days.
    public struct Days: Codable, Equatable, Sendable {
      public var fewest: Double
      public var likeliest: Double
      public var most: Double
      /// The remaining days with the fewest possible fixes.
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
