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

/// A current with its voltage and the source of the numbers.
public struct CurrentFigure: Equatable, Sendable {
  public var milliamperes: Double = Field.current.fallback
  /// The voltage of the rail on which the current flows.
  public var volts: Double = Field.voltage.fallback
  public var source: String = Field.source.fallback

  init() {}

  public init(milliamperes: Double, volts: Double, source: String) {
    self.milliamperes = milliamperes
    self.volts = volts
    self.source = source
  }

  enum Field {
    typealias Of<Value: Equatable & Sendable> = Setting<CurrentFigure, Value>

    static let current = Of<Double>(
      "mA", \.milliamperes, .number(0...20_000, "mA"), default: 0, isRequired: true, applies: .atOnce,
      effect: .always,
      "Average current, in mA.")
    static let voltage = Of<Double>(
      "V", \.volts, .number(0.5...60, "V"), default: 0, isRequired: true, applies: .atOnce, effect: .always,
      "Voltage of the rail on which the current flows, in V.")
    static let source = Of<String>(
      "source", \.source, .name, default: "", isRequired: true, applies: .atOnce, effect: .always,
      "Source of the numbers.")

    static let table = SettingTable<CurrentFigure>([current, voltage, source])
  }
}
