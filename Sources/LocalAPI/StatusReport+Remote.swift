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

      public init(key: String, outcome: String, reason: String?, destination: String?) {
        self.key = key
        self.outcome = outcome
        self.reason = reason
        self.destination = destination
      }
    }

    /// What became of each setting that was sent last.
    public var keys: [Key]
    /// The settings that have not proved themselves; absent when there are none.
    public var on_trial: [String]?
    /// When they go back without proof.
    public var goes_back_in_s: Double?
    /// When the box checks in, silenced or with something on trial.
    public var checks_in_in_s: Double?

    public init(keys: [Key]) { self.keys = keys }
  }
}
