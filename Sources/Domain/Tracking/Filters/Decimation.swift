import Quantities

/// Overland's recording rules `min_time` and `min_distance`, measured from the last record.
///
/// Both compare the fixes' own times and positions, so that a recording yields the same records at any speed.
public struct Decimation: Equatable, Sendable {
  /// Shortest time between records. Zero records every fix, one second one per UTC second; any other value records a
  /// fix when that time has passed.
  public var minTime: Duration
  /// Distance in metres; nil if off.
  public var minDistance: Double?

  public init(minTime: Duration = .seconds(1), minDistance: Double? = nil) {
    self.minTime = minTime
    self.minDistance = minDistance
  }

  /// The same rules as ``AcquisitionRules``.
  public var rules: AcquisitionRules { AcquisitionRules(minTime: minTime, minDistance: minDistance) }
}
