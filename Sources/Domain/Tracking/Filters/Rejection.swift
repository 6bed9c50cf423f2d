/// The reason why a fix did not become a record.
public enum Rejection: String, Equatable, Sendable, CaseIterable {
  /// The receiver has no valid position.
  case noFix = "no_fix"
  /// The first epochs after a start of the receiver, which may repeat old data.
  case afterStart = "after_start"
  /// Latitude and longitude 0, or out of range.
  case impossiblePosition = "impossible_position"
  /// A date far from those before and after it.
  case impossibleTime = "impossible_time"
  /// The location of a Wi-Fi zone while the time is unknown.
  case unknownTime = "unknown_time"
  /// Not newer than the last record.
  case notNewer = "not_newer"
  /// Sooner than `min_time` after the last record.
  case minTime = "min_time"
  /// Nearer than `min_distance` to the last record.
  case minDistance = "min_distance"
  /// No rule of the active profile selects it.
  case noRule = "no_rule"
  /// The receiver schedule does not need it: it settles, checks the position or sleeps.
  case notPlanned = "not_planned"
  /// `tracking_mode` is off.
  case trackingOff = "tracking_off"
  /// In a privacy zone.
  case privateZone = "private_zone"
  /// Identical coordinates while other evidence reports motion.
  case frozen = "frozen"
  /// The distance from the last fix requires an impossible speed.
  case impossibleSpeed = "impossible_speed"
  /// Elsewhere after an outage, and not confirmed by the next fixes yet.
  case unconfirmed = "unconfirmed"
  /// Worse than `max_accuracy`, or without accuracy.
  case accuracy = "accuracy"

  /// True for rejections that the settings request. They are counted, but nothing is missing.
  public var isByRule: Bool {
    switch self {
    case .minTime, .minDistance, .noRule, .notPlanned, .trackingOff, .privateZone: true
    case .noFix, .afterStart, .impossiblePosition, .impossibleTime, .unknownTime, .notNewer, .frozen,
      .impossibleSpeed, .unconfirmed, .accuracy:
      false
    }
  }

  /// True if a recording rule rejected the fix. Rejections by the schedule are explained by its sleeps, and nothing
  /// is logged about privacy zones.
  var isByAcquisitionRule: Bool {
    switch self {
    case .minTime, .minDistance, .noRule: true
    case .noFix, .afterStart, .impossiblePosition, .impossibleTime, .unknownTime, .notNewer, .frozen,
      .impossibleSpeed, .unconfirmed, .accuracy, .notPlanned, .trackingOff, .privateZone:
      false
    }
  }
}
