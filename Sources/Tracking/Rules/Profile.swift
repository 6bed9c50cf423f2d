/// A named set of acquisition rules; one is active at a time.
public enum Profile: String, Hashable, Sendable, CaseIterable {
  /// The battery is low, by the word of who watches it.
  case lowBattery = "low_battery"
  /// In a zone that asks for its own rules.
  case zone
  /// On external supply.
  case charging
  /// A trip is running.
  case trip
  case moving
  case stop

  /// Which profile is active: the first of these that has rules and whose condition holds.
  static let priority: [Profile] = [.lowBattery, .zone, .charging, .trip, .moving, .stop]
}

/// The rules of each profile; a profile without any is never active. Where none is, the tracker's ordinary rules count.
public struct ProfileRules: Equatable, Sendable {
  public var rules: [Profile: AcquisitionRules]

  public init(_ rules: [Profile: AcquisitionRules] = [:]) { self.rules = rules }

  /// The profile for what holds at present.
  func active(_ conditions: Set<Profile>) -> Profile? {
    guard !rules.isEmpty else { return nil }
    return Profile.priority.first { conditions.contains($0) && rules[$0] != nil }
  }
}
