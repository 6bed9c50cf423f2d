extension StatusReport {
  /// What the receiver receives now. The position, which is the last record, can be older.
  public struct Reception: Codable, Equatable, Sendable {
    /// Of the last epoch: none, 2D, 3D, differential, RTK float, RTK fixed or dead reckoning; absent before the first epoch.
    public var fix: String?
    public var epoch_age_s: Double?
    /// Since when there is no fix; absent while there is one.
    public var no_fix_s: Double?
    /// Satellites in the last epoch's solution.
    public var satellites_used: Int?
    /// Satellites above the horizon by the receiver's own count, received or not.
    public var satellites_in_view: Int?
    /// Satellites with a signal when the receiver named them last, which it does not have to do all the time.
    public var satellites_received: Int?
    public var strongest_dBHz: Double?
    /// Age of the two before.
    public var satellites_age_s: Double?

    public init() {}
  }

  /// What the device does.
  public struct Motion: Codable, Equatable, Sendable {
    public var moving: Bool
    /// walking, running, cycling, driving, stationary; empty while unknown. Absent without an
    /// accelerometer if the speed of the fixes does not say it.
    public var states: [String]?
    /// low, medium or high; absent without states. Never high without an accelerometer.
    public var confidence: String?
    /// `speed` if the states are derived from the speed of the fixes; absent with an accelerometer.
    public var source: String?

    public init(moving: Bool) { self.moving = moving }
  }

  /// The trip that runs.
  public struct Trip: Codable, Equatable, Sendable {
    public var mode: String
    public var manual: Bool
    /// ISO 8601 in UTC; absent while the date is unknown.
    public var start: String?
    public var duration_s: Double?
    public var distance_m: Double

    public init(mode: String, manual: Bool, distance_m: Double) {
      (self.mode, self.manual, self.distance_m) = (mode, manual, distance_m)
    }
  }
}
