extension StatusReport {
  /// The accelerometer and what it does. Absent means unknown, as everywhere.
  public struct Accelerometer: Codable, Equatable, Sendable {
    /// The part's name.
    public var name: String
    public var path: String
    /// On the bus, as in 0x18.
    public var address: String
    public var is_lost: Bool
    /// Why it is lost; absent while it is not.
    public var trouble: String?
    /// sampling, watching (for movement) or off.
    public var does: String?
    /// Hz, as counted; present while it samples.
    public var rate_hz: Double?
    /// ±g; present while it samples.
    public var range_g: Double?
    /// g of one step; present while it samples.
    public var resolution_g: Double?
    /// Whether its interrupt line is used; without it the part is polled.
    public var has_line: Bool
    /// passed, failed, or none: the part has none.
    public var self_test: String?
    /// Times that samples were read too late.
    public var overruns: Int
    /// Samples lost by that, as far as it can be reckoned.
    public var missing_samples: Int
    /// Samples thrown away, for the part cannot have measured them.
    public var doubtful_samples: Int
    /// Of the die, which is not calibrated.
    public var temperature_C: Double?

    public init(name: String, path: String, address: String, trouble: String?, hasLine: Bool) {
      self.name = name
      self.path = path
      self.address = address
      is_lost = trouble != nil
      self.trouble = trouble
      has_line = hasLine
      overruns = 0
      missing_samples = 0
      doubtful_samples = 0
    }
  }
}
