/// A consumer of current: a component in one of its states.
public enum Consumer: String, Sendable, CaseIterable {
  case hostIdle = "host_idle"
  case hostBusy = "host_busy"
  case hostCore = "host_core"
  case hostHalted = "host_halted"
  case hostSuspended = "host_suspended"
  case hostStarting = "host_starting"
  case hostStopping = "host_stopping"
  case hostUntilCut = "host_until_cut"
  case receiverAcquiring = "receiver_acquiring"
  case receiverTracking = "receiver_tracking"
  case receiverCyclic = "receiver_cyclic"
  case receiverSleeping = "receiver_sleeping"
  case receiverOff = "receiver_off"
  case accelerometer
  case gauge
  case modemSleeping = "modem_sleeping"
  case modemIdle = "modem_idle"
  case modemSending = "modem_sending"
  case modemTail = "modem_tail"
  case storageWriting = "storage_writing"
  case overhead

  public var sentence: String {
    switch self {
    case .hostIdle: "Idle host."
    case .hostBusy: "Host with all cores busy."
    case .hostCore: "Additional current of one busy core of the host."
    case .hostHalted:
      "Host after shutdown: still supplied, or what draws while power_manager cuts its supply."
    case .hostSuspended: "Suspended host."
    case .hostStarting: "Host during start-up, on average."
    case .hostStopping: "Host during shutdown, on average."
    case .hostUntilCut: "Host after shutdown until power_manager cuts its supply."
    case .receiverAcquiring: "Receiver during acquisition."
    case .receiverTracking: "Receiver with a fix every second."
    case .receiverCyclic: "Receiver with a fix every second in cyclic tracking, if it supports that."
    case .receiverSleeping: "Receiver in backup mode, from which it starts hot."
    case .receiverOff: "Receiver with its supply cut by receiver.enable, on its backup supply."
    case .accelerometer: "Accelerometer at the rate of its motion detection."
    case .gauge: "Fuel gauge or power monitor."
    case .modemSleeping: "Modem asleep, registered with the network."
    case .modemIdle: "Idle modem."
    case .modemSending: "Modem while sending."
    case .modemTail: "Modem after sending, for energy.modem_tail_lasts."
    case .storageWriting:
      "SD card or eMMC while writing: 15 ms per flush, and 2 ms per 4 KiB beyond the first of a flush."
    case .overhead: "All other constant loads: lights, regulators, the antenna."
    }
  }
}
