extension StatusReport {
  /// The charge per consumer while the logger ran, and the charge measured by the fuel gauge. Absent values are unknown.
  public struct Energy: Codable, Equatable, Sendable {
    /// The share of one consumer in one state.
    public struct Share: Codable, Equatable, Sendable {
      /// The consumer and its state, such as receiver_tracking.
      public var name: String
      /// The time in this state.
      public var time_s: Double
      /// The charge at the supply; absent if the board has no current for it.
      public var charge_mAh: Double?

      public init(name: String, time_s: Double, charge_mAh: Double?) {
        self.name = name
        self.time_s = time_s
        self.charge_mAh = charge_mAh
      }
    }

    /// Start of the period, in ISO 8601 in UTC; absent while the date is unknown.
    public var since: String?
    /// The time resolution of the ledger: "local day".
    public var grain: String?
    /// The running time of the logger since then.
    public var logged_s: Double
    /// The nominal voltage of the supply to which all charges refer.
    public var supply_V: Double
    public var shares: [Share]
    /// The total charge of all shares with a current.
    public var total_mAh: Double
    /// The missing settings of currents for these shares.
    public var missing: [String]
    /// The charge taken from the battery, measured by the fuel gauge; absent if it cannot measure that.
    public var gauge_mAh: Double?
    /// The estimated charge of the shares during the measurement.
    public var explained_mAh: Double?
    /// The measured charge less the estimated one; negative if the board's figures are too high.
    public var unexplained_mAh: Double?
    /// The reason why there is no measured charge; absent if there is one.
    public var gauge_trouble: String?

    public init(logged_s: Double, supply_V: Double, total_mAh: Double) {
      self.logged_s = logged_s
      self.supply_V = supply_V
      self.total_mAh = total_mAh
      shares = []
      missing = []
    }
  }

  /// The energy ledger by local day.
  public struct EnergyDays: Codable, Equatable, Sendable {
    /// The ledger of one day.
    public struct Day: Codable, Equatable, Sendable {
      /// The local day: `2026-03-01`.
      public var day: String
      public var logged_s: Double
      public var shares: [Energy.Share]
      public var total_mAh: Double
      public var gauge_mAh: Double?
      public var explained_mAh: Double?
      public var unexplained_mAh: Double?

      public init(day: String, _ energy: Energy) {
        self.day = day
        logged_s = energy.logged_s
        shares = energy.shares
        total_mAh = energy.total_mAh
        gauge_mAh = energy.gauge_mAh
        explained_mAh = energy.explained_mAh
        unexplained_mAh = energy.unexplained_mAh
      }
    }

    public var days: [Day]

    public init(_ days: [Day]) { self.days = days }
  }
}
