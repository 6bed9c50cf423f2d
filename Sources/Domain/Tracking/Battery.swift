import Quantities

/// The battery's state as location records contain it.
public struct Battery: Equatable, Sendable {
  /// The charging state.
  public var state: BatteryState
  /// State of charge in percent, 0...100; nil if unknown.
  public var percent: UInt8?

  public init(state: BatteryState, percent: UInt8?) {
    self.state = state
    self.percent = percent.map { min($0, 100) }
  }

  /// The state without a gauge.
  init(_ supply: TrackerSettings.Supply) {
    switch supply {
    case .external: self.init(state: .full, percent: 100)
    case .battery: self.init(state: .unknown, percent: nil)
    }
  }
}
