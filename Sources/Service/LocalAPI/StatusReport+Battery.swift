extension StatusReport {
  /// The battery, or the supply that a power monitor measures. Absent values are unknown.
  public struct Battery: Codable, Equatable, Sendable {
    /// The state: charging, full or unplugged.
    public var state: String?
    /// State of charge, 0...100.
    public var percent: Double?
    /// The reason why ``percent`` is absent, or older than the reading.
    public var percent_doubt: String?
    /// The voltage over all cells.
    public var voltage_V: Double?
    /// The current; positive while charging.
    public var current_mA: Double?
    /// Source of the current: measured, or modelled (by the battery model of the gauge).
    public var current_source: String?
    /// The change of charge in % per hour, by the battery model of the gauge; positive while charging.
    public var rate_percent_h: Double?
    public var temperature_C: Double?
    /// The source of ``temperature_C``: battery, or die (of the gauge).
    public var temperature_of: String?
    /// The age of the last reading.
    public var age_s: Double?
    /// The fuel gauge; absent if none is configured or there is no driver for it.
    public var gauge: Gauge?

    public init() {}
  }

  /// The fuel gauge.
  public struct Gauge: Codable, Equatable, Sendable {
    /// The name of the part, or of the kernel's power supply.
    public var name: String
    /// The bus, or the directory of the kernel's power supplies.
    public var path: String
    /// The address on the bus, such as 0x36; absent if the kernel drives the gauge.
    public var address: String?
    public var is_lost: Bool
    /// The reason why it is lost; absent otherwise.
    public var trouble: String?

    public init(name: String, path: String, address: String?, trouble: String?) {
      self.name = name
      self.path = path
      self.address = address
      is_lost = trouble != nil
      self.trouble = trouble
    }
  }
}
