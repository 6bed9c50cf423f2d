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

/// A part of the box in one of its states.
public enum Consumer: String, Sendable, CaseIterable {
  case hostIdle = "host_idle"
  case hostBusy = "host_busy"
  case hostHalted = "host_halted"
  case receiverAcquiring = "receiver_acquiring"
  case receiverTracking = "receiver_tracking"
  case receiverSleeping = "receiver_sleeping"
  case accelerometer
  case gauge
  case modemSleeping = "modem_sleeping"
  case modemIdle = "modem_idle"
  case modemSending = "modem_sending"
  case overhead

  public var sentence: String {
    switch self {
    case .hostIdle: "Host that waits."
    case .hostBusy: "Host with all its cores at work."
    case .hostHalted: "Host after it was shut down, still supplied."
    case .receiverAcquiring: "Receiver in search of satellites."
    case .receiverTracking: "Receiver with a fix every second."
    case .receiverSleeping: "Receiver in backup, so that it starts hot."
    case .accelerometer: "Accelerometer at the rate at which it watches for motion."
    case .gauge: "Gauge or power monitor."
    case .modemSleeping: "Modem registered with the network, asleep."
    case .modemIdle: "Modem with nothing to send."
    case .modemSending: "Modem while it sends."
    case .overhead: "All else that always draws: lamps, regulators, the antenna."
    }
  }
}

/// A current, and where the number is from.
public struct CurrentFigure: Equatable, Sendable {
  public var milliamperes: Double = Field.current.fallback
  /// Of the rail on which the current flows.
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
      "Current that is drawn, on average.")
    static let voltage = Of<Double>(
      "V", \.volts, .number(0.5...60, "V"), default: 0, isRequired: true, applies: .atOnce,
      "Voltage of the rail on which it flows.")
    static let source = Of<String>(
      "source", \.source, .name, default: "", isRequired: true, applies: .atOnce,
      "Where the number is from.")

    static let table = SettingTable<CurrentFigure>([current, voltage, source])
  }
}
