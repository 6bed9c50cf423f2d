/// What a gauge says, unjudged. What is not known is nil, never zero.
public struct GaugeReading: Hashable, Sendable {
  /// Percent; some parts go beyond 100.
  public var stateOfCharge: Double?
  /// V over all cells, or of the supply.
  public var voltage: Double?
  /// Cells in series behind ``voltage``; nil for a part that serves any number.
  public var cells: Int?
  /// mA, positive into the battery; only of parts that measure it.
  public var current: Double?
  /// Percent an hour, positive while charging; the part's own estimate.
  public var rate: Double?
  /// °C, and whose.
  public var temperature: Double?
  public var temperatureSource: TemperatureSource?
  /// Whether the part itself says that charge flows in; nil for one that leaves it to the current or the rate.
  public var isCharging: Bool?
  /// What the part itself says of being full; nil for one that cannot tell.
  public var isFull: Bool?
  /// Whether the part sees an outside supply; nil for one that cannot tell.
  public var isPlugged: Bool?
  /// The part was without supply since it was last read: what it learned is gone.
  public var wasReset = false

  public enum TemperatureSource: Hashable, Sendable { case battery, die }

  public init() {}
}
