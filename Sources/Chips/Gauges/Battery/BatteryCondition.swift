import Quantities

/// How a battery or a supply stands, judged. What is not known is nil, never zero.
public struct BatteryCondition: Hashable, Sendable {
  public var state: BatteryState = .unknown
  /// 0...100.
  public var percent: Double?
  /// Why ``percent`` is nil, or older than the reading.
  public var doubt: ChargeDoubt? = .notTold
  /// V over all cells, or of the supply.
  public var voltage: Double?
  public var current: BatteryCurrent?
  /// Percent an hour, positive while charging; the gauge's own estimate.
  public var rate: Double?
  /// °C, and whose.
  public var temperature: Double?
  public var temperatureSource: GaugeReading.TemperatureSource?

  public init() {}
}

/// A current and where it is from.
public struct BatteryCurrent: Hashable, Sendable {
  /// mA, positive into the battery.
  public var milliamperes: Double
  public var source: Source

  public enum Source: Hashable, Sendable {
    /// Over a shunt.
    case measured
    /// The gauge's rate times the capacity that the board file names.
    case estimated
  }

  public init(milliamperes: Double, source: Source) {
    self.milliamperes = milliamperes
    self.source = source
  }
}

/// What is held against a charge.
public enum ChargeDoubt: Hashable, Sendable {
  /// The gauge tells none.
  case notTold
  /// It is no percentage at all.
  case outOfRange
  /// The cell's voltage cannot go with it.
  case contradictsVoltage
  /// It changed faster than a battery can; the last one stands until more readings confirm it.
  case jumped
  /// It jumps time and again.
  case unsteady
  /// No reading came for too long.
  case silent
}
