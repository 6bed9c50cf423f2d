/// The connection and battery of a gauge, from the board file.
public struct GaugeWiring: Hashable, Sendable {
  /// Resistance of a power monitor's external shunt in Ω; nil if there is none.
  public var shunt: Double?
  /// Maximum current in A.
  public var largestCurrent: Double?
  /// Nominal capacity of the battery in mAh.
  public var capacity: Double?
  /// True if a power monitor's IN+ faces the battery, so that its positive current flows out of the battery.
  public var isReversed: Bool

  public init(
    shunt: Double? = nil, largestCurrent: Double? = nil, capacity: Double? = nil, isReversed: Bool = false
  ) {
    self.shunt = shunt
    self.largestCurrent = largestCurrent
    self.capacity = capacity
    self.isReversed = isReversed
  }
}
