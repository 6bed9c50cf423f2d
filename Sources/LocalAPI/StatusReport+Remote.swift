extension StatusReport {
  /// What servers have set from afar.
  public struct Remote: Codable, Equatable, Sendable {
    public struct Key: Codable, Equatable, Sendable {
      /// Dotted, as the server wrote it.
      public var key: String
      /// applied (on trial), persisted, unchanged, ignored, refused or went back.
      public var outcome: String
      public var reason: String?
      /// Whose server sent it.
      public var destination: String?
      /// Since that came about; absent where it was before this start.
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

    /// A setting that has not proved itself.
    public struct Trial: Codable, Equatable, Sendable {
      /// Dotted.
      public var key: String
      /// Whose server set it.
      public var destination: String
      /// When it goes back without proof.
      public var goes_back_in_s: Double?

      public init(key: String, destination: String, goes_back_in_s: Double?) {
        self.key = key
        self.destination = destination
        self.goes_back_in_s = goes_back_in_s
      }
    }

    /// What became of each setting that was sent last, by key and destination.
    public var keys: [Key]
    /// The settings that have not proved themselves; absent when there are none.
    public var on_trial: [Trial]?
    /// When the box checks in, silenced or with something on trial.
    public var checks_in_in_s: Double?

    public init(keys: [Key]) { self.keys = keys }
  }
}
