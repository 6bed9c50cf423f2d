extension StatusReport {
  /// The accelerometer and its state. Absent values are unknown.
  public struct Accelerometer: Codable, Equatable, Sendable {
    /// The name of the part.
    public var name: String
    public var path: String
    /// The address on the bus, such as 0x18.
    public var address: String
    public var is_lost: Bool
    /// The reason why it is lost; absent otherwise.
    public var trouble: String?
    /// The state: sampling, watching (wake-on-motion) or off.
    public var does: String?
    /// The measured sampling rate in Hz; present while it samples.
    public var rate_hz: Double?
    /// The measuring range in ±g; present while it samples.
    public var range_g: Double?
    /// The resolution in g; present while it samples.
    public var resolution_g: Double?
    /// True if its interrupt line is used; otherwise the part is polled.
    public var has_line: Bool
    /// Result of the self-test: passed, failed, or none if the part has no self-test.
    public var self_test: String?
    /// The number of times that samples were read too late.
    public var overruns: Int
    /// The estimated number of samples lost by that.
    public var missing_samples: Int
    /// The number of discarded samples that are physically impossible.
    public var doubtful_samples: Int
    /// The temperature of the die, which is not calibrated.
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
