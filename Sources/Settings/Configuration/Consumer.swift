/// A part of the box in one of its states.
public enum Consumer: String, Sendable, CaseIterable {
  case hostIdle = "host_idle"
  case hostBusy = "host_busy"
  case hostCore = "host_core"
  case hostHalted = "host_halted"
  case hostSuspended = "host_suspended"
  case hostStarting = "host_starting"
  case hostStopping = "host_stopping"
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
    case .hostIdle: "Host that waits."
    case .hostBusy: "Host with all its cores at work."
    case .hostCore: "What one core of the host at work draws above the waiting host."
    case .hostHalted: "Host after it was shut down, still supplied."
    case .hostSuspended: "Host that is suspended."
    case .hostStarting: "Host on its way up, on average."
    case .hostStopping: "Host on its way down, on average."
    case .receiverAcquiring: "Receiver in search of satellites."
    case .receiverTracking: "Receiver with a fix every second."
    case .receiverCyclic: "Receiver with a fix every second in cyclic power save, where it has that."
    case .receiverSleeping: "Receiver in backup, so that it starts hot."
    case .receiverOff: "Receiver whose supply receiver.enable has cut, with its backup supply."
    case .accelerometer: "Accelerometer at the rate at which it watches for motion."
    case .gauge: "Gauge or power monitor."
    case .modemSleeping: "Modem registered with the network, asleep."
    case .modemIdle: "Modem with nothing to send."
    case .modemSending: "Modem while it sends."
    case .modemTail: "Modem after a sending, for energy.modem_tail_lasts."
    case .storageWriting:
      "Card or eMMC while it writes, 15 ms for each flush and 2 ms for each 4 KiB beyond one a flush."
    case .overhead: "All else that always draws: lamps, regulators, the antenna."
    }
  }
}
