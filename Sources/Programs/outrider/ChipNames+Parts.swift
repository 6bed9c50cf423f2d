import Chips
import Settings

extension ChipNames {
  /// The parts for which this program has a driver.
  static var driven: ChipNames {
    ChipNames(
      accelerometers: AccelerometerPart.all.map(\.name), gauges: GaugePart.all.map(\.name),
      powerManagers: PowerManagerPart.all.map(\.name) + [PowerManagerSettings.latch],
      addresses: Dictionary(
        AccelerometerPart.all.map { ($0.name, $0.addresses.map(\.rawValue)) }
          + GaugePart.all.map { ($0.name, $0.addresses.map(\.rawValue)) }
          + PowerManagerPart.all.map { ($0.name, $0.addresses.map(\.rawValue)) },
        uniquingKeysWith: { first, _ in first }),
      cellsOfGauges: Dictionary(
        GaugePart.all.compactMap { part in part.cells.map { (part.name, $0) } },
        uniquingKeysWith: { first, _ in first }))
  }
}
