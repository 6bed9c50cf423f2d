/// The reason why a power manager switched the supply of the host.
public enum StartReason: Hashable, Sendable {
  /// The alarm that was set for the start.
  case alarm
  /// The alarm came while the voltage was too low, and the start followed later.
  case delayedAlarm
  /// No alarm came.
  case deadMan
  /// The button, or a pulse at the switch input, such as an accelerometer's interrupt.
  case button
  /// The voltage recovered, or a supply was connected.
  case supply
  /// The voltage was too low: the board cut the supply by itself.
  case lowVoltage
  /// The temperature left its range.
  case temperature
  /// The cut that was armed.
  case armedCut
  /// The host was restarted.
  case reboot
  /// A number that the driver does not know.
  case other(UInt8)

  /// The word for the reason in the fields of an event.
  public var word: String {
    switch self {
    case .alarm: "alarm"
    case .delayedAlarm: "delayed_alarm"
    case .deadMan: "dead_man"
    case .button: "button"
    case .supply: "supply"
    case .lowVoltage: "low_voltage"
    case .temperature: "temperature"
    case .armedCut: "armed_cut"
    case .reboot: "reboot"
    case .other(let number): "unknown_\(number)"
    }
  }
}
