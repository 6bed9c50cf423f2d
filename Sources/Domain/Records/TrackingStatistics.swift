import Quantities

/// The tracking settings at the time of a location, which Overland adds with "tracking stats".
public struct TrackingStatistics: Hashable, Sendable {
  /// True if the receiver sleeps while the device is stationary.
  public var pauses: Bool
  public var activity: ActivityType
  public var desiredAccuracy: DesiredAccuracy
  public var mode: TrackingMode

  public init(pauses: Bool, activity: ActivityType, desiredAccuracy: DesiredAccuracy, mode: TrackingMode) {
    self.pauses = pauses
    self.activity = activity
    self.desiredAccuracy = desiredAccuracy
    self.mode = mode
  }

  // The stored number of a value is its index. Stored records depend on the order: append only.
  private static let activities: [ActivityType] = [.other, .car, .fitness, .nav, .air]
  private static let accuracies: [DesiredAccuracy] = [
    .nav, .best, .metres10, .metres100, .kilometre1, .kilometres3,
  ]
  private static let modes: [TrackingMode] = [.off, .standard, .significant, .both]

  /// All values packed into one number, as it is stored.
  public var packed: UInt16 {
    UInt16(pauses ? 1 : 0) | Self.index(of: activity, in: Self.activities) << 1
      | Self.index(of: desiredAccuracy, in: Self.accuracies) << 4 | Self.index(of: mode, in: Self.modes) << 7
  }

  /// Unpacks a stored number; nil if it is not a valid value of ``packed``.
  public init?(packed: UInt16) {
    let (activity, accuracy, mode) = (Int(packed >> 1 & 7), Int(packed >> 4 & 7), Int(packed >> 7 & 3))
    guard packed < 1 << 9, Self.activities.indices.contains(activity),
      Self.accuracies.indices.contains(accuracy)
    else { return nil }
    self.init(
      pauses: packed & 1 == 1, activity: Self.activities[activity],
      desiredAccuracy: Self.accuracies[accuracy],
      mode: Self.modes[mode])
  }

  private static func index<Value: Equatable>(of value: Value, in values: [Value]) -> UInt16 {
    UInt16(values.firstIndex(of: value) ?? 0)
  }
}
