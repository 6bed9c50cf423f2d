/// The currents that the parts of the box draw, by part and state, and how long a radio stays up.
public struct EnergySettings: Equatable, Sendable {
  public var currents: [Consumer: CurrentFigure] = [:]
  /// How long the network keeps the modem up after a sending; nil: not said.
  public var modemTail: Duration?

  public init() {}

  /// These, with those of `other` in place of the same.
  func overlaid(with other: EnergySettings) -> EnergySettings {
    var all = self
    all.currents.merge(other.currents) { $1 }
    all.modemTail = other.modemTail ?? all.modemTail
    return all
  }

  private static let tail: any SettingDeclaration<EnergySettings> = Setting<EnergySettings, Duration?>(
    "modem_tail_lasts", \.modemTail, .optional(.duration(.zero ... .seconds(300))), default: nil,
    applies: .atOnce, effect: .always,
    "How long the network keeps the modem up after a sending; absent: a sending ends with its answer.")

  static let table = SettingTable<EnergySettings>(
    Consumer.allCases.map { consumer in
      Setting<EnergySettings, CurrentFigure?>(
        consumer.rawValue, \.currents[consumer],
        .optional(.group(of: CurrentFigure.Field.table, empty: CurrentFigure())), default: nil,
        applies: .atOnce, effect: .always, consumer.sentence)
    } + [tail])
}
