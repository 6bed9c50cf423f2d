import Quantities

/// The recording rules in effect, by the profile that applies.
public struct ActiveRules: Sendable {
  /// The profile whose rules apply; nil for the ordinary rules.
  public private(set) var profile: ProfileCondition?
  private(set) var rules: AcquisitionRules
  /// True if the profile changed since the last fix.
  private(set) var isNew = false

  init(_ settings: TrackerSettings) { rules = settings.rules(in: nil) }

  /// Applies changed settings.
  mutating func apply(_ settings: TrackerSettings) { rules = settings.rules(in: profile) }

  /// Selects the profile that applies under `conditions`.
  mutating func select(_ conditions: Set<ProfileCondition>, _ settings: TrackerSettings) {
    let active = settings.profiles.active(conditions)
    guard active != profile else { return }
    profile = active
    rules = settings.rules(in: active)
    isNew = true
  }

  /// Returns to the ordinary rules, because no profile is configured.
  mutating func reset(_ settings: TrackerSettings) {
    if profile != nil {
      profile = nil
      rules = settings.rules(in: nil)
    }
    isNew = false
  }

  /// Returns true if the profile changed since the last fix, which this one is.
  mutating func takeNews() -> Bool {
    defer { isNew = false }
    return isNew
  }

  /// Ignores a change since `wasNew` was read: it is no reason to record the next fix.
  mutating func ignoreNews(after wasNew: Bool) { isNew = wasNew }
}
