/// Who drew a charge, as ledgers and tables list it.
public enum EnergyShare: Hashable, Sendable {
  case receiver(ReceiverState)
  /// Accelerometer and gauge.
  case sensors
  /// The host that waits.
  case hostBase
  /// What the host's processor drew above that.
  case processor
  case storage
  /// Modem or wireless network.
  case radio
  /// Lamps, regulators, antenna: what always draws.
  case overhead

  /// Every share, in the order of a table.
  public static let all: [EnergyShare] =
    ReceiverState.allCases.map(EnergyShare.receiver) + [
      .sensors, .hostBase, .processor, .storage, .radio, .overhead,
    ]

  /// For people and for JSON.
  public var name: String {
    switch self {
    case .receiver(let state): "receiver_\(state.rawValue)"
    case .sensors: "sensors"
    case .hostBase: "host_base"
    case .processor: "processor"
    case .storage: "storage"
    case .radio: "radio"
    case .overhead: "overhead"
    }
  }
}
