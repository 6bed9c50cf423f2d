extension StatusReport {
  /// The present reception. The position, which is the last record, can be older.
  public struct Reception: Codable, Equatable, Sendable {
    /// The fix of the last epoch; absent before the first epoch.
    ///
    /// One of none, 2D, 3D, differential, RTK float, RTK fixed or dead reckoning.
    public var fix: String?
    public var epoch_age_s: Double?
    /// The time without a fix; absent while there is one.
    public var no_fix_s: Double?
    /// The satellites in the solution of the last epoch.
    public var satellites_used: Int?
    /// The satellites above the horizon by the receiver's own count, received or not.
    public var satellites_in_view: Int?
    /// The satellites with a signal in the last report of the receiver, which need not be regular.
    public var satellites_received: Int?
    public var strongest_dBHz: Double?
    /// The age of ``satellites_received`` and ``strongest_dBHz``.
    public var satellites_age_s: Double?

    public init() {}
  }

  /// The motion state of the device.
  public struct Motion: Codable, Equatable, Sendable {
    public var moving: Bool
    /// Motion states: walking, running, cycling, driving, stationary; empty while unknown.
    ///
    /// Absent without an accelerometer if the speed of the fixes does not determine it.
    public var states: [String]?
    /// Confidence: low, medium or high; absent without states. Never high without an accelerometer.
    public var confidence: String?
    /// Source of the states: `speed` if they are derived from the speed of the fixes; absent with an accelerometer.
    public var source: String?
    /// The state as one word: the first of ``states``, otherwise moving or stationary.
    public var state: String?
    /// Confidence between 0 and 1: 0.33 low, 0.67 medium, 1 high; absent without states.
    public var confidence_value: Double?
    /// The time since the last start or end of motion.
    public var since_s: Double?
    /// Total steps; absent without a counter.
    public var steps: Int?

    public init(moving: Bool) { self.moving = moving }
  }

  /// The running trip.
  public struct Trip: Codable, Equatable, Sendable {
    public var mode: String
    public var manual: Bool
    /// Start of the trip, in ISO 8601 in UTC; absent while the date is unknown.
    public var start: String?
    public var duration_s: Double?
    public var distance_m: Double

    public init(mode: String, manual: Bool, distance_m: Double) {
      (self.mode, self.manual, self.distance_m) = (mode, manual, distance_m)
    }
  }
}
