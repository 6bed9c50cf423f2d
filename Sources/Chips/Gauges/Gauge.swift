/// A battery gauge or a power monitor.
///
/// A call is a few transactions and never waits; what must be waited for is told as a duration.
public protocol Gauge {
  /// The name that board files use.
  static var name: String { get }
  /// Where the part can lie, its usual address first.
  static var addresses: [I2CAddress] { get }
  /// A document or a model, made by others, against which registers and conversions were checked; nil while unproven.
  static var witness: String? { get }

  init(bus: any I2CBus, address: I2CAddress, wiring: GaugeWiring)

  /// Throws `wrongIdentity` when another part answers, as far as the part can tell.
  func identify() throws(ChipError)

  /// Sets what must be set after a start of the part; a pause after which it may be read.
  mutating func start() throws(ChipError) -> Duration

  /// One burst of transactions. A part that measures on demand begins with that and names the pause.
  mutating func read() throws(ChipError) -> GaugeStep
}

/// What the board file says of a gauge.
public struct GaugeWiring: Hashable, Sendable {
  /// Ω of the resistor that a power monitor measures current with; nil where there is none outside the part.
  public var shunt: Double?
  /// A, the most that flows.
  public var largestCurrent: Double?
  /// mAh of the battery as built.
  public var capacity: Double?

  public init(shunt: Double? = nil, largestCurrent: Double? = nil, capacity: Double? = nil) {
    self.shunt = shunt
    self.largestCurrent = largestCurrent
    self.capacity = capacity
  }
}

public enum GaugeStep: Hashable, Sendable {
  /// It measures; call again after so long.
  case wait(Duration)
  case reading(GaugeReading)
}

/// What a gauge says, unjudged. What is not known is nil, never zero.
public struct GaugeReading: Hashable, Sendable {
  /// Percent; some parts go beyond 100.
  public var stateOfCharge: Double?
  /// V of the cell or the supply.
  public var voltage: Double?
  /// mA, positive into the battery; only of parts that measure it.
  public var current: Double?
  /// Percent an hour, positive while charging; the part's own estimate.
  public var rate: Double?
  /// °C, and whose.
  public var temperature: Double?
  public var temperatureSource: TemperatureSource?
  /// What the part itself says of being full; nil for one that cannot tell.
  public var isFull: Bool?
  /// Whether the part sees an outside supply; nil for one that cannot tell.
  public var isPlugged: Bool?
  /// The part was without supply since it was last read: what it learned is gone.
  public var wasReset = false

  public enum TemperatureSource: Hashable, Sendable { case battery, die }

  public init() {}
}
