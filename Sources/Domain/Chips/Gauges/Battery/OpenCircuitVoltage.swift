/// The open-circuit voltage of one cell by its charge, with bounds that allow for load, charger, age and
/// make.
public struct OpenCircuitVoltage: Hashable, Sendable {
  /// Voltages in V at 0, 10, … 100 %.
  private let steps: [Double]
  /// Largest voltage in V that load and age subtract.
  private let below: Double
  /// Largest voltage in V that a charger adds.
  private let above: Double
  /// Voltage in V at which a cell that takes no more current may be full.
  public let top: Double

  /// Lithium cells with cobalt, manganese or nickel, charged up to 4.2 V. Typical values, within 0.1 V of
  /// manufacturers' curves and the gauges' own tables.
  public static let lithiumIon = OpenCircuitVoltage(
    steps: [3.30, 3.61, 3.69, 3.73, 3.77, 3.82, 3.87, 3.95, 4.02, 4.10, 4.20], below: 0.45, above: 0.32,
    top: 4.08)

  /// Open-circuit voltage of a cell in V at a charge of 0...100 %.
  public func voltage(at percent: Double) -> Double {
    let position = min(max(percent, 0), 100) / 10
    guard position < 10 else { return steps[10] }
    let index = Int(position)
    return steps[index] + (steps[index + 1] - steps[index]) * (position - Double(index))
  }

  /// True if a cell of this charge can have this voltage. `margin` in V narrows the bounds.
  public func allows(_ percent: Double, at voltage: Double, margin: Double = 0) -> Bool {
    let expected = self.voltage(at: percent)
    return voltage >= expected - below + margin && voltage <= expected + above - margin
  }
}
