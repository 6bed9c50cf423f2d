/// The usage profiles with what each changes and costs, as `GET /profiles` returns them.
public struct ProfilesReport: Codable, Equatable, Sendable {
  /// One profile.
  public struct Profile: Codable, Equatable, Sendable {
    /// The value of `usage_profile`: a profile, or `off` for the settings without one.
    public var name: String
    /// The settings that it presets, with their values.
    public var changes: [String: String]
    /// The expected charge of the receiver in mAh a day; null if the board lacks a current.
    public var receiver_mAh_day: Double?
    /// The same with everything else that the ledger has; null if either is unknown.
    public var total_mAh_day: Double?
    /// The settings of the missing currents.
    public var missing: [String]

    public init(name: String, changes: [String: String], missing: [String]) {
      (self.name, self.changes, self.missing) = (name, changes, missing)
    }
  }

  /// The last complete day of the ledger.
  public struct Day: Codable, Equatable, Sendable {
    /// The local day: `2026-03-01`.
    public var day: String
    public var receiver_mAh: Double
    public var total_mAh: Double

    public init(day: String, receiver_mAh: Double, total_mAh: Double) {
      (self.day, self.receiver_mAh, self.total_mAh) = (day, receiver_mAh, total_mAh)
    }
  }

  /// The profile in force, or `off`.
  public var current: String
  public var profiles: [Profile]
  /// Absent if the ledger has no complete day.
  public var last_day: Day?

  public init(current: String, profiles: [Profile], lastDay: Day?) {
    (self.current, self.profiles, last_day) = (current, profiles, lastDay)
  }
}
