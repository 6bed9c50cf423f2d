/// What the board file says of a gauge.
public struct GaugeWiring: Hashable, Sendable {
  /// Ω of the resistor that a power monitor measures current with; nil where there is none outside the part.
  public var shunt: Double?
  /// A, the most that flows.
  public var largestCurrent: Double?
  /// mAh of the battery as built.
  public var capacity: Double?
  /// A power monitor's IN+ faces the battery, so that what it calls positive flows out of it.
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
