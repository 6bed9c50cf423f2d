extension StatusReport {
  /// What the parts of the box drew while the logger ran, and what the gauge saw. Absent means unknown, as everywhere.
  public struct Energy: Codable, Equatable, Sendable {
    public struct Share: Codable, Equatable, Sendable {
      /// A part and what it did, as in receiver_tracking.
      public var name: String
      /// How long it did so.
      public var time_s: Double
      /// At the supply; absent where the board gives no current for it.
      public var charge_mAh: Double?

      public init(name: String, time_s: Double, charge_mAh: Double?) {
        self.name = name
        self.time_s = time_s
        self.charge_mAh = charge_mAh
      }
    }

    /// ISO 8601 in UTC; absent while the date is unknown.
    public var since: String?
    /// What the ledger keeps apart at its finest: "local day".
    public var grain: String?
    /// How long the logger ran since then.
    public var logged_s: Double
    /// Nominal voltage of the supply at which all charges are reckoned.
    public var supply_V: Double
    public var shares: [Share]
    /// What all shares with a current drew.
    public var total_mAh: Double
    /// Settings of currents that are missing for these shares.
    public var missing: [String]
    /// What left the battery, as the gauge saw it; absent where it cannot tell.
    public var gauge_mAh: Double?
    /// What the shares drew while the gauge watched.
    public var explained_mAh: Double?
    /// What the gauge saw beyond that; below zero where the board's figures are too high.
    public var unexplained_mAh: Double?
    /// Why there is nothing to compare with; absent where there is.
    public var gauge_trouble: String?

    public init(logged_s: Double, supply_V: Double, total_mAh: Double) {
      self.logged_s = logged_s
      self.supply_V = supply_V
      self.total_mAh = total_mAh
      shares = []
      missing = []
    }
  }
}
