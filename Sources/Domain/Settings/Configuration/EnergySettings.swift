/// The currents of the consumers, and the time that the modem stays active after sending.
public struct EnergySettings: Equatable, Sendable {
  public var currents: [Consumer: CurrentFigure] = [:]
  /// The time that the network keeps the modem active after sending; nil if not given.
  public var modemTail: Duration?

  public init() {}

  /// Merges `other` into these settings; its values win.
  func overlaid(with other: EnergySettings) -> EnergySettings {
    var all = self
    all.currents.merge(other.currents) { $1 }
    all.modemTail = other.modemTail ?? all.modemTail
    return all
  }

  private static let tail: any SettingDeclaration<EnergySettings> = Setting<EnergySettings, Duration?>(
    "modem_tail_lasts", \.modemTail, .optional(.duration(.zero ... .seconds(300))), default: nil,
    applies: .atOnce, effect: .always,
    "Time that the network keeps the modem active after sending. If it is not given, sending ends with the response."
  )

  static let table = SettingTable<EnergySettings>(
    Consumer.allCases.map { consumer in
      Setting<EnergySettings, CurrentFigure?>(
        consumer.rawValue, \.currents[consumer],
        .optional(.group(of: CurrentFigure.Field.table, empty: CurrentFigure())), default: nil,
        applies: .atOnce, effect: .always, consumer.sentence)
    } + [tail])
}
