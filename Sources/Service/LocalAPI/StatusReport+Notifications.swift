extension StatusReport {
  /// The delivery of events to the operator's programs and URLs, since the start or the last change of the setting.
  public struct Notifications: Codable, Equatable, Sendable {
    /// The number of successful calls of all hooks.
    public var handed_over: Int
    /// The number of events that they rejected, or for which there was no space.
    public var failed: Int
    /// The reason why the last call failed; absent if it did not.
    public var trouble: String?
    /// The hooks in the order of the setting.
    public var hooks: [Hook]?

    public init(handedOver: Int, failed: Int, trouble: String?) {
      handed_over = handedOver
      self.failed = failed
      self.trouble = trouble
    }

    /// One program or URL.
    public struct Hook: Codable, Equatable, Sendable {
      /// The program, or the URL without what may be secret.
      public var to: String
      /// `json` or `text`.
      public var form: String
      /// The chosen groups and kinds; absent for the usual ones.
      public var kinds: [String]?
      public var handed_over: Int
      public var failed: Int
      /// The number of notifications that are held back; absent if none are.
      public var held: Int?
      /// The reason why the last call failed; absent if it did not.
      public var trouble: String?
      /// The end of the last call; absent before the first.
      public var last_answer: Answer?
      /// The end of the last test; absent before the first.
      public var last_test: Answer?

      public init(to: String, form: String, handedOver: Int, failed: Int) {
        self.to = to
        self.form = form
        handed_over = handedOver
        self.failed = failed
      }
    }

    /// The end of a call.
    public struct Answer: Codable, Equatable, Sendable {
      public var ok: Bool
      public var text: String
      public var age_s: Double

      public init(ok: Bool, text: String, age_s: Double) {
        (self.ok, self.text, self.age_s) = (ok, text, age_s)
      }
    }
  }

  /// The sign of life for a monitor (`heartbeat`).
  public struct Heartbeat: Codable, Equatable, Sendable {
    /// The address without what may be secret.
    public var url: String
    public var every_s: Double
    /// True if it reports that logging works.
    public var healthy: Bool
    /// Absent before the first success.
    public var last_success_age_s: Double?
    /// Absent before the first attempt.
    public var last_attempt_age_s: Double?
    /// The reason why the last attempt failed; absent if it did not.
    public var trouble: String?

    public init(url: String, every_s: Double, healthy: Bool) {
      (self.url, self.every_s, self.healthy) = (url, every_s, healthy)
    }
  }
}
