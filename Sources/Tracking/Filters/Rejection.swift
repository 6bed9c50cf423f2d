/// Why a fix did not become a record.
public enum Rejection: String, Equatable, Sendable, CaseIterable {
  /// The receiver does not vouch for a position.
  case noFix = "no_fix"
  /// The first epochs after a start of the receiver, which may repeat what it knew before.
  case afterStart = "after_start"
  /// Latitude and longitude 0, or off the globe.
  case impossiblePosition = "impossible_position"
  /// A date far from those before and after it.
  case impossibleTime = "impossible_time"
  /// The place of a Wi-Fi zone while nobody knows the time.
  case unknownTime = "unknown_time"
  /// The time of a record already kept, or a moment before it.
  case notNewer = "not_newer"
  /// Sooner than `min_time` after the last record.
  case minTime = "min_time"
  /// Nearer than `min_distance` to the last record.
  case minDistance = "min_distance"
  /// No rule of the active profile wants it.
  case noRule = "no_rule"
  /// The receiver plan does not need it: it settles, checks or sleeps.
  case notPlanned = "not_planned"
  /// `tracking_mode` is off.
  case trackingOff = "tracking_off"
  /// In a zone where nothing is written.
  case privateZone = "private_zone"
  /// The same place to the last bit while other evidence says moving.
  case frozen = "frozen"
  /// Farther from the last fix than anything of its kind moves.
  case impossibleSpeed = "impossible_speed"
  /// Worse than `max_accuracy`, or without a figure.
  case accuracy = "accuracy"

  /// True for what the operator asked for: counted, but nothing is missing.
  public var isByRule: Bool {
    switch self {
    case .minTime, .minDistance, .noRule, .notPlanned, .trackingOff, .privateZone: true
    case .noFix, .afterStart, .impossiblePosition, .impossibleTime, .unknownTime, .notNewer, .frozen,
      .impossibleSpeed, .accuracy:
      false
    }
  }

  /// True where a rule of acquisition leaves the fix out. What the plan leaves out is told by its rests, and nothing is
  /// written of a zone where nothing must be.
  var isByAcquisitionRule: Bool {
    switch self {
    case .minTime, .minDistance, .noRule: true
    case .noFix, .afterStart, .impossiblePosition, .impossibleTime, .unknownTime, .notNewer, .frozen,
      .impossibleSpeed, .accuracy, .notPlanned, .trackingOff, .privateZone:
      false
    }
  }
}
