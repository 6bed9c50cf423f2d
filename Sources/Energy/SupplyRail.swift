/// What feeds the whole box: the place at which all charges of a ledger are reckoned.
public struct SupplyRail: Equatable, Sendable {
  /// What a converter gives of what it takes, where the rail of a part lies above the supply.
  public static let converterEfficiency = 0.85

  /// V, nominal.
  public var volts: Double

  public init(volts: Double) { self.volts = volts }

  /// A lithium battery of so many cells in series.
  public static func battery(cells: Int) -> SupplyRail { SupplyRail(volts: 3.7 * Double(max(cells, 1))) }

  /// mA that a current on another rail takes of this one: through a converter where that rail lies higher, and
  /// unchanged, as through a linear regulator, where it does not. A rail or supply without a voltage changes nothing.
  public func milliamperes(for current: Double, atVolts rail: Double) -> Double {
    guard volts > 0, rail > volts else { return current }
    return current * rail / (Self.converterEfficiency * volts)
  }
}
