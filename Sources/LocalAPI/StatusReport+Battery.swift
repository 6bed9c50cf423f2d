extension StatusReport {
  /// The battery, or the supply that a power monitor sits on. Absent means unknown, as everywhere.
  public struct Battery: Codable, Equatable, Sendable {
    /// charging, full or unplugged.
    public var state: String?
    /// State of charge, 0...100.
    public var percent: Double?
    /// Why ``percent`` is absent, or older than the reading.
    public var percent_doubt: String?
    /// Over all cells.
    public var voltage_V: Double?
    /// Positive into the battery.
    public var current_mA: Double?
    /// measured, or modelled: reckoned from the gauge's model of the battery.
    public var current_source: String?
    /// Percent an hour, positive while charging, by the gauge's model of the battery.
    public var rate_percent_h: Double?
    public var temperature_C: Double?
    /// battery, or die: that of the gauge.
    public var temperature_of: String?
    /// Of the last reading.
    public var age_s: Double?
    /// Absent where none is set up or there is no driver for it.
    public var gauge: Gauge?

    public init() {}
  }

  public struct Gauge: Codable, Equatable, Sendable {
    /// The part's name, or that of the kernel's power supply.
    public var name: String
    /// The bus, or the directory of the kernel's power supplies.
    public var path: String
    /// On the bus, as in 0x36; absent where the kernel drives the gauge.
    public var address: String?
    public var is_lost: Bool
    /// Why it is lost; absent while it is not.
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
