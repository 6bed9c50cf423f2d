/// The state of the supply, in the words of the Overland protocol's `battery_state`.
public enum BatteryState: UInt8, Sendable, CaseIterable {
  case unknown, charging, full, unplugged

  public var word: StaticString {
    switch self {
    case .unknown: "unknown"
    case .charging: "charging"
    case .full: "full"
    case .unplugged: "unplugged"
    }
  }
}
