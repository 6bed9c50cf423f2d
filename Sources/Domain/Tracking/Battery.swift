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

  /// The state of a device without a battery: on mains or in a vehicle.
  public static let full = Battery(state: .full, percent: 100)
  /// The state of a battery before a gauge reports its charge.
  public static let unknown = Battery(state: .unknown, percent: nil)
}
