extension StatusReport {
  /// Settings of the operator on trial.
  public struct SettingsTrial: Codable, Equatable, Sendable {
    /// The name of the trial, which `POST /settings/confirm` requires.
    public var id: String
    public var keys: [String]
    /// The time until the previous values return without a confirmation.
    public var goes_back_in_s: Double
    /// The TCP address of the local API during the trial; absent if there is none.
    public var listen: String?

    public init(id: String, keys: [String], goes_back_in_s: Double, listen: String?) {
      self.id = id
      self.keys = keys
      self.goes_back_in_s = goes_back_in_s
      self.listen = listen
    }
  }

  /// The remote settings.
  public struct Remote: Codable, Equatable, Sendable {
    /// The outcome of the last value that a server sent for a key.
    public struct Key: Codable, Equatable, Sendable {
      /// The dotted key, as the server sent it.
      public var key: String
      /// Result of a change: applied (on trial), persisted (proven), unchanged, ignored, refused (rejected) or went
      /// back (rolled back).
      public var outcome: String
      public var reason: String?
      /// The destination whose server sent it.
      public var destination: String?
      /// The time since the outcome; absent if it is older than this start.
      public var age_s: Double?

      public init(
        key: String, outcome: String, reason: String?, destination: String?, age_s: Double? = nil
      ) {
        self.key = key
        self.outcome = outcome
        self.reason = reason
        self.destination = destination
        self.age_s = age_s
      }
    }

    /// A setting trial.
    public struct Trial: Codable, Equatable, Sendable {
      /// The dotted key.
      public var key: String
      /// The destination whose server set it.
      public var destination: String
      /// The time until the value is rolled back unless it is proven.
      public var goes_back_in_s: Double?

      public init(key: String, destination: String, goes_back_in_s: Double?) {
        self.key = key
        self.destination = destination
        self.goes_back_in_s = goes_back_in_s
      }
    }

    /// The last outcome of each setting, by key and destination.
    public var keys: [Key]
    /// The setting trials; absent if there are none.
    public var on_trial: [Trial]?
    /// The time until the next check-in, during a trial or while no records are sent.
    public var checks_in_in_s: Double?

    public init(keys: [Key]) { self.keys = keys }
  }
}
