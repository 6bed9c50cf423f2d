/// A consumer, or a state of one, in ledgers and tables.
public enum EnergyShare: Hashable, Sendable {
  case receiver(ReceiverState)
  case accelerometer
  /// The fuel gauge or power monitor.
  case gauge
  /// The idle host.
  case hostBase
  /// The host while it is suspended or powered off.
  case hostDown
  /// The host's transitions to this state and back.
  case hostCycle
  /// The processor time of the program, in addition to the idle host.
  case processor
  /// The writes of the program.
  case storage
  /// The idle modem or wireless network.
  case radioWaiting
  /// The modem or wireless network while it sends or waits for a response.
  case radioSending
  /// The modem or wireless network after sending, until the network releases it.
  case radioTail
  /// Permanent consumers: LEDs, regulators, antenna.
  case overhead

  /// All shares in the order of a table.
  public static let all: [EnergyShare] =
    ReceiverState.allCases.map(EnergyShare.receiver) + [
      .accelerometer, .gauge, .hostBase, .hostDown, .hostCycle, .processor, .storage, .radioWaiting,
      .radioSending, .radioTail, .overhead,
    ]

  /// The name for tables, JSON and storage.
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
