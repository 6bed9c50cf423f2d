import Quantities

/// Overland's `min_time` and `min_distance`: what is kept, measured from the last record.
///
/// Both compare the fixes' own times and places, so that a recording gives the same records at any speed.
public struct Thinning: Equatable, Sendable {
  /// Zero keeps every fix. One second keeps one in each UTC second. Any other keeps a fix when as much time has
  /// passed.
  public var minTime: Duration
  /// Metres; nil is off.
  public var minDistance: Double?

  public init(minTime: Duration = .seconds(1), minDistance: Double? = nil) {
    self.minTime = minTime
    self.minDistance = minDistance
  }

  /// The same as rules.
  public var rules: AcquisitionRules { AcquisitionRules(minTime: minTime, minDistance: minDistance) }
}
