import Chips
import Settings

extension ChipNames {
  /// The parts that this program drives.
  static var driven: ChipNames {
    ChipNames(accelerometers: AccelerometerPart.all.map(\.name), gauges: GaugePart.all.map(\.name))
  }
}
