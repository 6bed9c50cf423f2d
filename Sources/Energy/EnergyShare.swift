/// Who drew a charge, as ledgers and tables list it.
public enum EnergyShare: Hashable, Sendable {
  case receiver(ReceiverState)
  case accelerometer
  /// Fuel gauge or power monitor.
  case gauge
  /// The host that waits.
  case hostBase
  /// The host that is down, suspended or halted.
  case hostDown
  /// The host on its way down and back.
  case hostCycle
  /// What the program's own time of the processor drew above that.
  case processor
  /// What its writing drew.
  case storage
  /// The modem or wireless network between two sendings.
  case radioWaiting
  /// The same while something is sent and its answer awaited.
  case radioSending
  /// The same after a sending, until the network lets go of it.
  case radioTail
  /// Lamps, regulators, antenna: what always draws.
  case overhead

  /// Every share, in the order of a table.
  public static let all: [EnergyShare] =
    ReceiverState.allCases.map(EnergyShare.receiver) + [
      .accelerometer, .gauge, .hostBase, .hostDown, .hostCycle, .processor, .storage, .radioWaiting,
      .radioSending, .radioTail, .overhead,
    ]

  /// For people, for JSON and for what is stored.
  public var name: String {
    switch self {
    case .receiver(let state): "receiver_\(state.rawValue)"
    case .accelerometer: "accelerometer"
    case .gauge: "gauge"
    case .hostBase: "host_base"
    case .hostDown: "host_down"
    case .hostCycle: "host_cycle"
    case .processor: "processor"
    case .storage: "storage"
    case .radioWaiting: "radio_waiting"
    case .radioSending: "radio_sending"
    case .radioTail: "radio_tail"
    case .overhead: "overhead"
    }
  }
}
