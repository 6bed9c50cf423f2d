/// The supply of the whole device, at whose voltage all charges of a ledger are given.
public struct SupplyRail: Equatable, Sendable {
  /// The efficiency of the step-up converter for a rail above the supply voltage.
  public static let converterEfficiency = 0.85

  /// The nominal voltage in V.
  public var volts: Double

  public init(volts: Double) { self.volts = volts }

  /// Returns the supply of a lithium battery with `cells` cells in series.
  public static func battery(cells: Int) -> SupplyRail { SupplyRail(volts: 3.7 * Double(max(cells, 1))) }

  /// Returns the current at the supply, in mA, for a current on another rail.
  ///
  /// A higher rail is fed by a converter, a lower one by a linear regulator, which does not change the current. Without
  /// a known voltage the current is returned unchanged.
  public func milliamperes(for current: Double, atVolts rail: Double) -> Double {
    guard volts > 0, rail > volts else { return current }
    return current * rail / (Self.converterEfficiency * volts)
  }
}
