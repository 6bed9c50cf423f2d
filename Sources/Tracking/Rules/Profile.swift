/// A condition under which a named set of acquisition rules counts.
public enum Profile: String, Hashable, Sendable, CaseIterable {
  /// The battery is low, by the word of who watches it.
  case lowBattery = "low_battery"
  /// In a zone that asks for its own rules.
  case zone = "in_zone"
  /// On external supply.
  case charging
  /// A trip is running.
  case trip
  case moving
  case stop
  case always
}

/// Rules of their own by condition, in the order in which they are looked at. Where no condition holds, the tracker's ordinary
/// rules count.
public struct ProfileRules: Equatable, Sendable {
  public struct Entry: Equatable, Sendable {
    public var profile: Profile
    public var rules: AcquisitionRules

    public init(_ profile: Profile, _ rules: AcquisitionRules) {
      self.profile = profile
      self.rules = rules
    }
  }

  /// One for each condition at most; the first whose condition holds counts.
  public private(set) var entries: [Entry]

  /// Of two with the same condition the first counts.
  public init(_ entries: [Entry] = []) {
    self.entries = []
    for entry in entries where self[entry.profile] == nil { self.entries.append(entry) }
  }

  /// In the order of the conditions' declaration.
  public init(_ rules: [Profile: AcquisitionRules]) {
    entries = Profile.allCases.compactMap { profile in rules[profile].map { Entry(profile, $0) } }
  }

  public var isEmpty: Bool { entries.isEmpty }

  /// Rules that are set for a condition without any come last.
  public subscript(profile: Profile) -> AcquisitionRules? {
    get { entries.first { $0.profile == profile }?.rules }
    set {
      guard let index = entries.firstIndex(where: { $0.profile == profile }) else {
        if let newValue { entries.append(Entry(profile, newValue)) }
        return
      }
      if let newValue { entries[index].rules = newValue } else { entries.remove(at: index) }
    }
  }

  /// The same with rules for trips, before those that count in and out of trips alike, unless there are some.
  public func inTrips(_ rules: AcquisitionRules) -> ProfileRules {
    guard self[.trip] == nil else { return self }
    var all = self
    let place = entries.firstIndex { [.moving, .stop, .always].contains($0.profile) } ?? entries.endIndex
    all.entries.insert(Entry(.trip, rules), at: place)
    return all
  }

  /// The profile for what holds at present.
  func active(_ conditions: Set<Profile>) -> Profile? {
    entries.first { conditions.contains($0.profile) }?.profile
  }
}
