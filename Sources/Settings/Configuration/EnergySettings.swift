/// The currents that the parts of the box draw, by part and state.
public struct EnergySettings: Equatable, Sendable {
  public var currents: [Consumer: CurrentFigure] = [:]

  public init() {}

  /// These, with those of `other` in place of the same.
  func overlaid(with other: EnergySettings) -> EnergySettings {
    var all = self
    all.currents.merge(other.currents) { $1 }
    return all
  }

  static let table = SettingTable<EnergySettings>(
    Consumer.allCases.map { consumer in
      Setting<EnergySettings, CurrentFigure?>(
        consumer.rawValue, \.currents[consumer],
        .optional(.group(of: CurrentFigure.Field.table, empty: CurrentFigure())), default: nil,
        applies: .atOnce, consumer.sentence)
    })
}
