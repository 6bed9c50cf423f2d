import Chips
import Settings

extension ChipNames {
  /// The parts that this program drives.
  static var driven: ChipNames {
    ChipNames(
      accelerometers: AccelerometerPart.all.map(\.name), gauges: GaugePart.all.map(\.name),
      cellsOfGauges: Dictionary(
        GaugePart.all.compactMap { part in part.cells.map { (part.name, $0) } },
        uniquingKeysWith: { first, _ in first }))
  }
}
