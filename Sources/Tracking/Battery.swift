import Quantities

/// What a record says of the battery.
public struct Battery: Equatable, Sendable {
  public var state: BatteryState
  /// State of charge, 0...100; nil while unknown.
  public var percent: UInt8?

  public init(state: BatteryState, percent: UInt8?) {
    self.state = state
    self.percent = percent.map { min($0, 100) }
  }

  /// Where no gauge tells.
  init(_ supply: TrackerSettings.Supply) {
    switch supply {
    case .external: self.init(state: .full, percent: 100)
    case .battery: self.init(state: .unknown, percent: nil)
    }
  }
}
